import { join } from "node:path";
import { releaseNotes } from "./releaseNotes";

/**
 * Turns "Unreleased" into a version: `bun run release:version 0.2.0`. Writes it into the changelog, the upgrade notes, the package.json of the
 * workspace and of each package, and server.json. Prints the section of the changelog, for the page of the release. Commits nothing.
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

const date = new Date().toISOString().slice(0, "YYYY-MM-DD".length);
async function readNotes(file: string) {
  try {
    return { file, ...releaseNotes(await Bun.file(join(ROOT, file)).text(), { file, version, date }) };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const changelog = await readNotes("CHANGELOG.md");
const upgrading = await readNotes("docs/upgrading.md");
const MANIFESTS = ["package.json", "server.json", "test/support/package.json", "{packages,apps}/*/package.json"];
const manifests = MANIFESTS.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
for (const manifest of manifests) {
  const text = await Bun.file(join(ROOT, manifest)).text();
  const replaced = text.replace(`"version": "${current}"`, `"version": "${version}"`);
  if (replaced === text) fail(`${manifest} does not have the version ${current}`);
  await Bun.write(join(ROOT, manifest), replaced);
}
for (const { file, text } of [changelog, upgrading]) await Bun.write(join(ROOT, file), text);
console.log(changelog.section);
console.error(
  `\n${current} -> ${version} in CHANGELOG.md, docs/upgrading.md and ${manifests.length} manifests; run \`bun install\` for the lock file`,
);
