import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the licences of the packages that bundled files come from, because those files are distributed in this package.
 *
 * @param paths of files in `node_modules`
 */
export async function writeNotices(paths: readonly string[], file: string): Promise<void> {
  const notices = new Map<string, string>();
  for (const folder of new Set(paths.flatMap(packageFolder))) {
    const { name, version, license } = await Bun.file(join(folder, "package.json")).json();
    const texts = await licenceTexts(folder);
    notices.set(`${name} ${version} (${license})`, texts.join("\n"));
  }
  const text = [...notices]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, licence]) => `${title}\n\n${licence}`);
  await writeFile(file, `This package contains code of:\n\n${text.join(`\n${"-".repeat(80)}\n\n`)}`);
}

/** The folder of the package that a file belongs to. */
function packageFolder(path: string): string[] {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  return folder === undefined ? [] : [folder];
}

async function licenceTexts(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|notice|copying)/i.test(name));
  return Promise.all(names.toSorted().map((name) => readFile(join(folder, name), "utf8")));
}
