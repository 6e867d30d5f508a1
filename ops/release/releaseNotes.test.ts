import { describe, expect, test } from "bun:test";
import { releaseNotes } from "./releaseNotes";

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- One.

## [0.1.0] - 2026-11-22

- First.

[Unreleased]: #unreleased
[0.1.0]: #010---2026-11-22
`;

describe("releaseNotes", () => {
  test("moves the entries to a section of the version, and leaves an empty section for what follows", () => {
    const { changelog, section } = releaseNotes(CHANGELOG, "0.2.0", "2026-11-30");
    expect(section).toBe("### Added\n\n- One.");
    expect(changelog).toBe(`# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-30

### Added

- One.

## [0.1.0] - 2026-11-22

- First.

[Unreleased]: #unreleased
[0.2.0]: #020---2026-11-30
[0.1.0]: #010---2026-11-22
`);
  });

  test("refuses a version that exists, and a release without an entry", () => {
    expect(() => releaseNotes(CHANGELOG, "0.1.0", "2026-11-30")).toThrow("already has a section of 0.1.0");
    const { changelog } = releaseNotes(CHANGELOG, "0.2.0", "2026-11-30");
    expect(() => releaseNotes(changelog, "0.3.0", "2026-12-01")).toThrow("no entry");
    expect(() => releaseNotes("# Changelog\n", "0.2.0", "2026-11-30")).toThrow("no section");
  });

  test("accepts the changelog of this repository", async () => {
    const own = await Bun.file(`${import.meta.dir}/../../CHANGELOG.md`).text();
    expect(releaseNotes(own, "99.0.0", "2026-11-30").section).toStartWith("###");
  });
});
