import { join } from "node:path";
import { edgesInCycles, folderEdges } from "./folderCycles";

/** Fails where folders of a package import from each other, directly or not (docs/architecture.md): `bun test/structure/check.ts`, part of `bun run check`. */

const ROOT = join(import.meta.dir, "..", "..");
const packages = [...new Bun.Glob("{packages,apps}/*/package.json").scanSync(ROOT)].map((path) => join(path, ".."));
let edges = 0;
for (const each of packages.toSorted()) {
  const src = join(ROOT, each, "src");
  const paths = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(src)].filter((path) => !/\.test\.tsx?$/.test(path));
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(src, path)).text() })));
  const all = folderEdges(files);
  edges += new Set(all.map(({ from, to }) => `${from} ${to}`)).size;
  for (const { from, to, file } of edgesInCycles(all)) {
    console.error(`${each}/src/${file}: ${from} imports from ${to}, which leads back to it`);
    process.exitCode = 1;
  }
}
if (process.exitCode === 1) console.error("folders of a package point one way: move what both need below them");
else console.log(`${packages.length} packages: folders point one way (${edges} edges)`);
