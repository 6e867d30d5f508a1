import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { operations } from "@dueday/api/operations/operations";
import type { BunPlugin } from "bun";
import manifest from "../package.json";
import { writeTypes } from "./writeTypes";

const PACKAGE = join(import.meta.dir, "..");
const ROOT = join(PACKAGE, "../..");
const ENTRIES = ["index", "local", "actions", "react", "webhooks"] as const;
/** The only module whose declarations are not those that the compiler writes. */
const OPERATION_TYPES = "operationTypes";

/** The oldest and the next major version that a peer may have. */
const peers = { viem: ">=2.57.0 <3" };

/**
 * Writes the package as it is published: bundled ESM with source maps, plain declarations, and a package.json of its own. What comes
 * from this workspace is in the bundles; packages of others stay dependencies.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  await Promise.all([bundle(folder), writeDeclarations(folder)]);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(await publishedManifest(), null, 2)}\n`);
  await cp(join(PACKAGE, "README.md"), join(folder, "README.md"));
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}

async function bundle(folder: string): Promise<void> {
  const others = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(isForeign);
  const result = await Bun.build({
    entrypoints: ENTRIES.map((name) => join(PACKAGE, `src/${name}.ts`)),
    outdir: join(folder, "dist"),
    target: "browser",
    format: "esm",
    // What two entry points share exists once, so that an error of one is an instance for the other.
    splitting: true,
    sourcemap: "linked",
    plugins: [dropSchemas],
    external: others.flatMap((name) => [name, `${name}/*`]),
    naming: { entry: "[name].js", chunk: "shared-[hash].js" },
  });
  if (!result.success) throw new AggregateError(result.logs, "the bundles could not be built");
}

/**
 * Types of the service come from schemas that stand beside functions. Nothing at run time needs most of them, and a bundler may only
 * leave out a call that is marked as one without effects.
 */
const dropSchemas: BunPlugin = {
  name: "drop unused schemas",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const isOurs = ["/packages/core/src/", "/packages/chain/src/"].some((folder) => path.includes(folder));
      const text = await readFile(path, "utf8");
      return {
        contents: isOurs ? text.replace(/\b(?:Type\.\w+|deprecated)\(/g, "/* @__PURE__ */ $&") : text,
        loader: "ts",
      };
    });
  },
};

async function writeDeclarations(folder: string): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), "dueday-sdk-types-"));
  try {
    await emitDeclarations(emitted);
    const source = join(emitted, relative(ROOT, PACKAGE), "src");
    const written = new Set<string>();
    const write = async (module: string): Promise<void> => {
      if (written.has(module)) return;
      written.add(module);
      const text =
        module === OPERATION_TYPES ? writeTypes(operations) : await readFile(join(source, `${module}.d.ts`), "utf8");
      // Node's resolution wants the name of the file.
      const imported: string[] = [];
      const named = text.replace(/(from |import\()"(\.[^"]*)"/g, (_, start: string, path: string) => {
        const target = join(dirname(module), path);
        imported.push(target === "." ? "index" : target);
        return `${start}"${target === "." ? `${path}/index` : path}.js"`;
      });
      const file = join(folder, "dist", `${module}.d.ts`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, named);
      await Promise.all(imported.map(write));
    };
    await Promise.all(ENTRIES.map(write));
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emitDeclarations(outDir: string): Promise<void> {
  const config = join(outDir, "tsconfig.json");
  const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: ROOT, outDir };
  const files = ENTRIES.map((name) => join(PACKAGE, `src/${name}.ts`));
  const types = [join(ROOT, "node_modules/bun-types")];
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { ...compilerOptions, types },
      files,
      include: [],
    }),
  );
  const compiler = Bun.spawn([process.execPath, "x", "tsc", "-p", config], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(compiler.stdout).text();
  if ((await compiler.exited) !== 0) throw new Error(`the declarations could not be written:\n${output}`);
}

async function publishedManifest() {
  const { workspaces }: { workspaces: { catalog: Record<string, string> } } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  const { name, version, license, description, dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const own = Object.keys(dependencies).filter((each) => isForeign(each) && !(each in peers));
  const exported = Object.fromEntries(
    ENTRIES.map((entry) => [
      entry === "index" ? "." : `./${entry}`,
      { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
    ]),
  );
  return {
    ...{ name, version, description, license, type: "module", sideEffects: false },
    exports: { ...exported, "./package.json": "./package.json" },
    files: ["dist"],
    engines: { node: ">=22" },
    dependencies: Object.fromEntries(own.map((each) => [each, `^${workspaces.catalog[each]}`])),
    peerDependencies: { ...peers, ...peerDependencies },
    peerDependenciesMeta,
  };
}

function isForeign(name: string): boolean {
  return !name.startsWith("@dueday/");
}
