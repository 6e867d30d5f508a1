import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import rootManifest from "../../../package.json";
import manifest from "../package.json";

const PACKAGE = join(import.meta.dir, "..");
const ROOT = join(PACKAGE, "../..");

/** Writes the command as it is published, for Node and Bun. Code of this workspace is bundled. */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "dist"), { recursive: true });
  const { commander } = rootManifest.workspaces.catalog;
  const result = await Bun.build({
    entrypoints: [join(PACKAGE, "src/cli.ts")],
    outdir: join(folder, "dist"),
    target: "node",
    format: "esm",
    // The parts that sign are loaded by the command that signs.
    splitting: true,
    minify: { syntax: true, whitespace: true },
    external: ["commander"],
  });
  if (!result.success) throw new AggregateError(result.logs, "the command could not be built");
  await chmod(join(folder, "dist/cli.js"), 0o755);
  const { name, version, description, license } = manifest;
  const published = {
    name,
    version,
    description,
    license,
    repository: { ...rootManifest.repository, directory: "packages/cli" },
    type: "module",
    bin: { dueday: "dist/cli.js" },
    exports: { "./package.json": "./package.json" },
    files: ["dist"],
    engines: { node: ">=22" },
    dependencies: { commander: `^${commander}` },
  };
  await writeFile(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  await cp(join(PACKAGE, "README.md"), join(folder, "README.md"));
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
}
