/** The changelog or the upgrade notes with the unreleased entries under a version, and the section of that version. */
export type ReleaseNotes = { text: string; section: string };

export type Release = { file: string; version: string; date: string };

const UNRELEASED = "## [Unreleased]\n";
const LINK = "[Unreleased]: #unreleased\n";

/**
 * Moves the entries under "Unreleased" to a section of `version`.
 *
 * @param file name of the file that `before` is the text of, for messages
 * @param version such as "0.2.0"
 * @param date the day of the release, YYYY-MM-DD
 * @throws Error where the file has no such section, no entry in it, or already a section of `version`
 */
export function releaseNotes(before: string, { file, version, date }: Release): ReleaseNotes {
  const start = before.indexOf(UNRELEASED);
  if (start < 0) throw new Error(`${file} has no section "## [Unreleased]"`);
  if (before.includes(`## [${version}]`)) throw new Error(`${file} already has a section of ${version}`);
  const from = start + UNRELEASED.length;
  const next = before.indexOf("\n## [", from);
  const end = next < 0 ? before.length : next + 1;
  const section = before.slice(from, end).trim();
  if (!section.split("\n").some((line) => line.startsWith("- ")))
    throw new Error(`${file} has no entry under "Unreleased"`);
  const heading = `${version} - ${date}`;
  // The form of the anchors that Markdown renderers give to a heading.
  const anchor = heading.replaceAll(/[^0-9a-z -]/g, "").replaceAll(" ", "-");
  const moved = `${UNRELEASED}\n## [${version}] - ${date}\n\n${section}\n\n`;
  const released = before.slice(0, start) + moved + before.slice(end);
  return { text: released.replace(LINK, `${LINK}[${version}]: #${anchor}\n`), section };
}
