import { join, resolve } from "node:path";
import { packRelease } from "./packRelease";

/** `bun run release [folder]`: builds, checks and packs all published packages, by default into `build` of this repository. */
const [folder = join(import.meta.dir, "../../build")] = process.argv.slice(2);
for (const { name, tarball, bytes } of await packRelease(resolve(folder))) {
  console.log(`${name}  ${Math.ceil(bytes / 1024)} kB  ${tarball}`);
}
