/** A changelog with what was unreleased under a version, and the section of that version. */
export type ReleaseNotes = { changelog: string; section: string };

const UNRELEASED = "## [Unreleased]\n";
const LINK = "[Unreleased]: #unreleased\n";

/**
 * Moves the entries under "Unreleased" to a section of `version`.
 *
 * @param version such as "0.2.0"
 * @param date the day of the release, YYYY-MM-DD
 * @throws Error where the changelog has no such section, nothing in it, or the version already
 */
export function releaseNotes(changelog: string, version: string, date: string): ReleaseNotes {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) throw new Error('CHANGELOG.md has no section "## [Unreleased]"');
  if (changelog.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md already has a section of ${version}`);
  const from = start + UNRELEASED.length;
  const next = changelog.indexOf("\n## [", from);
  const end = next < 0 ? changelog.length : next + 1;
  const section = changelog.slice(from, end).trim();
  if (!section.split("\n").some((line) => line.startsWith("- ")))
    throw new Error('CHANGELOG.md has no entry under "Unreleased"');
  const heading = `${version} - ${date}`;
  // The form of the anchors that Markdown renderers give to a heading.
  const anchor = heading.replaceAll(/[^0-9a-z -]/g, "").replaceAll(" ", "-");
  const moved = `${UNRELEASED}\n## [${version}] - ${date}\n\n${section}\n\n`;
  const released = changelog.slice(0, start) + moved + changelog.slice(end);
  return { changelog: released.replace(LINK, `${LINK}[${version}]: #${anchor}\n`), section };
}
