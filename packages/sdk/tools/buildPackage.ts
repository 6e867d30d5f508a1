import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "@dueday/api/operations/operations";
import type { BunPlugin } from "bun";
import manifest from "../package.json";
import { writeDeclarations } from "./writeDeclarations";
import { writeTypes } from "./writeTypes";

const PACKAGE = join(import.meta.dir, "..");
const ROOT = join(PACKAGE, "../..");
const ENTRIES = ["index", "local", "actions", "react", "webhooks", "gate"] as const;

/** From the oldest version that a peer may have to below the next major one. */
const peers = { viem: ">=2.57.0 <3" };

/**
 * Writes the package as it is published: bundled ESM with source maps, plain declarations, and a separate package.json. What comes
 * from this workspace is in the bundles; packages of others stay dependencies.
 */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  await Promise.all([
    bundle(folder),
    writeDeclarations({
      from: PACKAGE,
      to: join(folder, "dist"),
      entries: ENTRIES,
      // The only module whose declarations are not those that the compiler writes.
      written: { operationTypes: writeTypes(operations) },
    }),
  ]);
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
  // Next.js has no hooks in a component of the server: this marks the boundary. In the first line, so that the source map stays true.
  const hooks = join(folder, "dist/react.js");
  await writeFile(hooks, `"use client";${await readFile(hooks, "utf8")}`);
}

/**
 * Types of the service come from schemas that stand beside functions. Most of these schemas are not needed at run time, and a bundler
 * leaves out only calls that are marked as free of side effects.
 */
const dropSchemas: BunPlugin = {
  name: "drop unused schemas",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const isOurs = ["/packages/core/src/", "/packages/chain/src/"].some((folder) => path.includes(folder));
      const text = await readFile(path, "utf8");
      return {
        contents: isOurs
          ? text.replace(
              /(function )?(?:Type\.\w+|deprecated|oneOf|oneLine|plainText|listOf|pagedListOf|described|hexString|typed|untrusted)(?:<[^()<>]*>)?\(/g,
              (call, declaration) => (declaration === undefined ? `/* @__PURE__ */ ${call}` : call),
            )
          : text,
        loader: "ts",
      };
    });
  },
};

async function publishedManifest() {
  const { workspaces, repository }: { workspaces: { catalog: Record<string, string> }; repository: object } =
    JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const { name, version, license, description, dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const own = Object.keys(dependencies).filter((each) => isForeign(each) && !(each in peers));
  const exported = Object.fromEntries(
    ENTRIES.map((entry) => [
      entry === "index" ? "." : `./${entry}`,
      { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
    ]),
  );
  return {
    name,
    version,
    description,
    license,
    repository: { ...repository, directory: "packages/sdk" },
    type: "module",
    sideEffects: false,
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
