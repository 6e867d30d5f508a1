import { cp, exists, mkdir, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const ROOT = join(import.meta.dir, "..", "..");
const WORKSPACES = "{apps,packages}/*/package.json";

const Versions = Type.Optional(Type.Record(Type.String(), Type.String()));
const Manifest = Type.Object({
  dependencies: Versions,
  optionalDependencies: Versions,
  peerDependencies: Versions,
});

/**
 * Puts into `folder` what the service's image has before its builds, as far as that is possible without Docker: the files that
 * `.dockerignore` leaves, and links to the packages of this repository that `bun install --production` would install.
 */
export async function makeImage(folder: string): Promise<void> {
  const { isIgnored, keeps } = readPatterns(await Bun.file(join(ROOT, ".dockerignore")).text());
  await cp(ROOT, folder, {
    recursive: true,
    filter(source) {
      const path = relative(ROOT, source);
      return !isIgnored(path) || keeps.some((kept) => kept.startsWith(`${path}/`));
    },
  });
  // Of the root's node_modules only the store: its links are for tests and tools.
  await mkdir(join(folder, "node_modules"));
  await symlink(join(ROOT, "node_modules", ".bun"), join(folder, "node_modules", ".bun"));
  for (const path of new Bun.Glob(WORKSPACES).scanSync(folder)) {
    const manifest = Value.Parse(Manifest, await Bun.file(join(folder, path)).json());
    await linkPackages(dirname(path), manifest, folder);
  }
}

/** The links of a workspace are relative, so that in the copy those to other workspaces lead to the copy. */
async function linkPackages(
  workspace: string,
  { dependencies, optionalDependencies, peerDependencies }: Static<typeof Manifest>,
  folder: string,
): Promise<void> {
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const link = join(workspace, "node_modules", name);
    // Optional packages of other systems are not installed.
    if (!(await exists(join(ROOT, link)))) continue;
    await mkdir(dirname(join(folder, link)), { recursive: true });
    await cp(join(ROOT, link), join(folder, link), { verbatimSymlinks: true });
  }
}

/** The patterns of a .dockerignore: the last one that matches a path, or a folder above it, decides. */
function readPatterns(text: string): { isIgnored(path: string): boolean; keeps: string[] } {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const patterns = lines.map((line) => ({ keeps: line.startsWith("!"), glob: new Bun.Glob(line.replace("!", "")) }));
  return {
    keeps: patterns.flatMap(({ keeps }, index) => (keeps ? [lines[index]?.slice(1) ?? ""] : [])),
    isIgnored(path) {
      const parts = path.split("/");
      const withFolders = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
      const last = patterns.findLast(({ glob }) => withFolders.some((each) => glob.match(each)));
      return last?.keeps === false;
    },
  };
}
