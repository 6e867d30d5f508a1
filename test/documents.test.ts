import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@dueday/config/parseConfig";

const ROOT = join(import.meta.dir, "..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();

describe(".env.example", async () => {
  const lines = (await read(".env.example")).split("\n");
  const example = lines.flatMap((line) => {
    const [, name = "", value = ""] = /^# ([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    return name === "" ? [] : [[name, value] as const];
  });

  test("has every setting once, and no other", () => {
    const settings = new Set<string>();
    const recorder = new Proxy<Record<string, string>>({}, { get: (_, name) => void settings.add(String(name)) });
    parseConfig(recorder);
    expect(example.map(([name]) => name).toSorted()).toEqual([...settings].sort());
  });

  test("shows the defaults: with every line in force, the settings are those of an empty environment", () => {
    expect(parseConfig(Object.fromEntries(example))).toEqual(parseConfig({}));
  });

  test("changes nothing as long as no line is edited", () => {
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", async () => {
  const text = await read("CONTRIBUTING.md");
  const table = text.slice(text.indexOf("| to add "), text.indexOf("### An operation"));
  const rows = table.split("\n").filter((line) => line.startsWith("| a"));
  const filesOf = (row: string) =>
    [...row.matchAll(/`([\w./<>-]+\.(?:ts|md|example)|\.env\.example)`/g)].map(([, file = ""]) => file);

  test.each(rows.map((row) => [row.split("|")[1]?.trim() ?? "", filesOf(row)] as const))(
    "%s: at most 6 files, each of which exists or is new",
    (_, files) => {
      expect(files.length).toBeLessThanOrEqual(6);
      expect(files.filter((file) => !file.includes("<") && !existsSync(join(ROOT, file)))).toEqual([]);
    },
  );
});

test("every relative link of the documents leads to a file", async () => {
  const documents = [...new Bun.Glob("{*.md,docs/**/*.md}").scanSync(ROOT)];
  const broken: string[] = [];
  for (const document of documents) {
    for (const [, target = ""] of (await read(document)).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
      if (!existsSync(join(ROOT, document, "..", target))) broken.push(`${document}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("every file of test/timings.json exists", async () => {
  const { files } = JSON.parse(await read("test/timings.json"));
  expect(Object.keys(files).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("the test kit's README has examples/membersOnly.test.ts as it is run", async () => {
  expect(await read("packages/testkit/README.md")).toContain(await read("examples/membersOnly.test.ts"));
});
