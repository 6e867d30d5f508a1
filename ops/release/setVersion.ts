import { join } from "node:path";
import { releaseNotes } from "./releaseNotes";

/**
 * Turns "Unreleased" into a version: `bun run release:version 0.2.0`. Writes it into the changelog, the package.json of the workspace and
 * of each package, and server.json. Prints the section of the changelog, for the page of the release. Commits nothing.
 */

const ROOT = join(import.meta.dir, "..", "..");
const [version = ""] = process.argv.slice(2);

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

if (!/^\d+\.\d+\.\d+$/.test(version)) fail("usage: bun run release:version <major.minor.patch>, such as 0.2.0");
const { version: current } = await Bun.file(join(ROOT, "package.json")).json();
if (Bun.semver.order(version, current) <= 0) fail(`${version} is not above the current version, ${current}`);
const changes = Bun.spawnSync(["git", "status", "--porcelain"], { cwd: ROOT }).stdout.toString().trim();
if (changes !== "") fail(`commit or stash these changes first:\n${changes}`);

const path = join(ROOT, "CHANGELOG.md");
const today = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
const { changelog, section } = releaseNotes(await Bun.file(path).text(), version, today);
const MANIFESTS = ["package.json", "server.json", "test/support/package.json", "{packages,apps}/*/package.json"];
const manifests = MANIFESTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
for (const manifest of manifests) {
  const text = await Bun.file(join(ROOT, manifest)).text();
  const replaced = text.replace(`"version": "${current}"`, `"version": "${version}"`);
  if (replaced === text) fail(`${manifest} does not have the version ${current}`);
  await Bun.write(join(ROOT, manifest), replaced);
}
await Bun.write(path, changelog);
console.log(section);
console.error(
  `\n${current} -> ${version} in CHANGELOG.md and ${manifests.length} manifests; run \`bun install\` for the lock file`,
);
