import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failedTests } from "./failedTests";

/** What `bun test --parallel` prints for files with these sources, beside one that passes. */
async function outputOf(sources: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "failed-tests-"));
  try {
    const all = { ...sources, "passes.test.ts": 'test("fine", () => {})' };
    for (const [name, source] of Object.entries(all)) {
      await Bun.write(join(folder, name), `import { describe, expect, test } from "bun:test";\n${source}`);
    }
    const child = Bun.spawn([process.execPath, "test", "--parallel=2"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return (await Promise.all([child.stdout.text(), child.stderr.text()])).join("");
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("failed tests are named with their files and the groups they are in", async () => {
  const output = await outputOf({
    "one.test.ts":
      'test("is fine", () => {}); describe("group", () => { test("is wrong", () => expect(1).toBe(2)); });',
    "folder/two.test.ts": 'test("throws: [1, 2]", () => { throw new Error("late"); });',
  });
  expect(failedTests(output)?.toSorted((a, b) => a.title.localeCompare(b.title))).toEqual([
    { file: "one.test.ts", title: "group > is wrong" },
    { file: "folder/two.test.ts", title: "throws: [1, 2]" },
  ]);
});

test("failures that a long run lists again at its end are not counted twice", async () => {
  const many = Array.from({ length: 30 }, (_, index) => `test("fine ${index}", () => {});`).join("\n");
  const output = await outputOf({ "bad.test.ts": `test("is wrong", () => expect(1).toBe(2)); ${many}` });
  expect(output.match(/^\(fail\) is wrong/gm)).toHaveLength(2);
  expect(failedTests(output)).toEqual([{ file: "bad.test.ts", title: "is wrong" }]);
});

test("a run without a failure has none", async () => {
  expect(failedTests(await outputOf({}))).toEqual([]);
});

test.each([
  ["a file that can't be loaded", 'throw new Error("no");'],
  ["a file whose process ends", 'test("ends", () => process.exit(3));'],
  [
    "an error between two tests",
    'test("fine", () => {}); setTimeout(() => { throw new Error("late"); }, 1); await Bun.sleep(50);',
  ],
])("%s is no failed test that could run again", async (_, source) => {
  expect(failedTests(await outputOf({ "bad.test.ts": source }))).toBeNull();
});
