import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { compileFile } from "@dueday/devnet/compile";
import { writeDeclarations } from "@dueday/sdk/tools/writeDeclarations";
import type { BuildConfig, BunPlugin } from "bun";
import manifest from "../package.json";
import { writeNotices } from "./writeNotices";

const PACKAGE = join(import.meta.dir, "..");
const ROOT = join(PACKAGE, "../..");
const SERVICE = "dist/service";
/** The module of the service that serves the page of its docs, and the package whose script the page loads. */
const DOCS_ROUTES = join(ROOT, "apps/api/src/surfaces/docs/docsRoutes.ts");
const DOCS_SCRIPT = "@scalar/api-reference";
/** What the service loads only with settings that a stack does not have, or for contracts that were not compiled before. */
const NOT_LOADED = /^(?:solc$|@bull-board\/)/;

/**
 * Writes the test kit as it is published: its library and command for Node, and the service as a bundle for Bun. The bundle has
 * everything that comes from this workspace or from npm, except what is `NOT_LOADED`, and except the programs of each platform, which are optional
 * dependencies.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, SERVICE), { recursive: true });
  const [library, service] = await Promise.all([
    bundle(["src/index.ts", "src/cli.ts"], { outdir: join(folder, "dist"), target: "node" }),
    bundle(["src/main.ts"], {
      outdir: join(folder, SERVICE),
      target: "bun",
      plugins: [docsBeside, leaveOut],
    }),
    writeDeclarations({ from: PACKAGE, to: join(folder, "dist"), entries: ["index"] }),
    copyServiceFiles(join(folder, "dist")),
  ]);
  await writeNotices([...library, ...service, docsScript()], join(folder, "NOTICES.txt"));
  await chmod(join(folder, "dist/cli.js"), 0o755);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(await publishedManifest(), null, 2)}\n`);
  await cp(join(PACKAGE, "README.md"), join(folder, "README.md"));
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

/** Not minified: the service's router reads the source text of its handlers. @returns the bundled files that are in `node_modules` */
async function bundle(entries: string[], config: Partial<BuildConfig>): Promise<string[]> {
  const bundled: string[] = [];
  const collect: BunPlugin = {
    name: "collect the names of bundled files",
    setup(build) {
      build.onLoad({ filter: /node_modules/ }, ({ path }) => {
        bundled.push(path);
        return undefined;
      });
    },
  };
  const result = await Bun.build({
    ...config,
    format: "esm",
    splitting: true,
    naming: { entry: "[name].js", chunk: "shared-[hash].js" },
    entrypoints: entries.map((entry) => join(PACKAGE, entry)),
    plugins: [...(config.plugins ?? []), collect],
  });
  if (!result.success) throw new AggregateError(result.logs, "the bundles could not be built");
  // Packages that look for files beside their own contain the path of this machine, which does not exist on others.
  for (const { path } of result.outputs) await writeFile(path, (await readFile(path, "utf8")).replaceAll(ROOT, ""));
  return bundled;
}

/** The script of the docs page is beside the bundle, not in a package. */
const docsBeside: BunPlugin = {
  name: "docs beside the bundle",
  setup(build) {
    build.onLoad({ filter: /docsRoutes\.ts$/ }, async ({ path }) => {
      const [before, after, ...others] = (await readFile(path, "utf8")).split(`import.meta.resolve("${DOCS_SCRIPT}")`);
      if (path !== DOCS_ROUTES || after === undefined || others.length > 0) {
        throw new Error(`${path} does not find the script of the docs page as this build expects it`);
      }
      return { contents: `${before}new URL("./main.js", import.meta.url)${after}`, loader: "ts" };
    });
  },
};

const leaveOut: BunPlugin = {
  name: "leave out what is not loaded",
  setup(build) {
    build.onResolve({ filter: NOT_LOADED }, ({ path }) => ({ path, external: true }));
  },
};

/** The files that the service looks for in folders beside and below its own. */
async function copyServiceFiles(dist: string): Promise<void> {
  // The descriptions of the tables after each migration are needed only to generate the next one.
  const isApplied = (path: string) => !path.endsWith("_snapshot.json");
  await cp(join(ROOT, "packages/db/migrations"), join(dist, "migrations"), { recursive: true, filter: isApplied });
  await cp(join(ROOT, "packages/devnet/contracts"), join(dist, "contracts"), { recursive: true });
  for (const file of ["SubscriptionProtocol", "TestToken"] as const) {
    const { path } = await compileFile(file);
    await cp(path, join(dist, "build", basename(path)));
  }
  await cp(docsScript(), join(dist, "service/browser/standalone.js"));
}

function docsScript(): string {
  return join(dirname(Bun.resolveSync(DOCS_SCRIPT, DOCS_ROUTES)), "browser/standalone.js");
}

async function publishedManifest() {
  const { name, version, license, description } = manifest;
  const [root, db, devnet] = await Promise.all(["", "packages/db", "packages/devnet"].map(readManifest));
  const bun = root?.workspaces?.catalog["bun-types"];
  const platforms = ["darwin-aarch64", "darwin-x64", "linux-aarch64", "linux-x64"];
  return {
    name,
    version,
    description,
    license,
    repository: { ...root?.repository, directory: "packages/testkit" },
    type: "module",
    sideEffects: false,
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
    imports: { "#service": `./${SERVICE}/main.js` },
    bin: { "dueday-testkit": "dist/cli.js" },
    files: ["dist", "NOTICES.txt"],
    engines: { node: ">=22" },
    os: ["darwin", "linux"],
    cpu: ["x64", "arm64"],
    optionalDependencies: {
      ...Object.fromEntries(platforms.map((platform) => [`@oven/bun-${platform}`, bun])),
      ...db?.optionalDependencies,
      ...devnet?.optionalDependencies,
    },
  };
}

type Manifest = {
  optionalDependencies?: Record<string, string>;
  workspaces?: { catalog: Record<string, string> };
  repository?: object;
};

async function readManifest(folder: string): Promise<Manifest> {
  return Bun.file(join(ROOT, folder, "package.json")).json();
}
