import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");
/** Everything that the bundle is made from. */
const SOURCES = ["apps/web/src/**/*", "apps/web/tools/*", "packages/{sdk,core,chain}/src/**/*.ts", "bun.lock"];

/** A hash of the sources of the web app, by path and content. */
export async function hashSources(): Promise<string> {
  const found = SOURCES.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: ROOT })));
  const paths = (await Promise.all(found)).flat();
  const hasher = new Bun.CryptoHasher("sha256");
  for (const path of paths.filter((each) => !/\.test\.tsx?$/.test(each)).toSorted()) {
    hasher.update(`${path}\n`);
    hasher.update(await Bun.file(join(ROOT, path)).bytes());
  }
  return hasher.digest("hex");
}
