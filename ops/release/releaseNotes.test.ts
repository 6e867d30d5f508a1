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

const release = (version: string) => ({ file: "CHANGELOG.md", version, date: "2026-11-30" });

describe("releaseNotes", () => {
  test("moves the entries to a section of the version, and leaves an empty section for what follows", () => {
    const { text, section } = releaseNotes(CHANGELOG, release("0.2.0"));
    expect(section).toBe("### Added\n\n- One.");
    expect(text).toBe(`# Changelog

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
    expect(() => releaseNotes(CHANGELOG, release("0.1.0"))).toThrow("CHANGELOG.md already has a section of 0.1.0");
    const { text } = releaseNotes(CHANGELOG, release("0.2.0"));
    expect(() => releaseNotes(text, release("0.3.0"))).toThrow("CHANGELOG.md has no entry");
    expect(() => releaseNotes("# Changelog\n", release("0.2.0"))).toThrow("CHANGELOG.md has no section");
  });

  test.each(["CHANGELOG.md", "docs/upgrading.md"])("accepts %s of this repository", async (file) => {
    const own = await Bun.file(`${import.meta.dir}/../../${file}`).text();
    expect(releaseNotes(own, { ...release("99.0.0"), file }).section).toStartWith("###");
  });
});
