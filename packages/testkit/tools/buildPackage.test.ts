import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPackageFaults, packPackage } from "@dueday/sdk/tools/packPackage";
import { buildPackage } from "./buildPackage";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../../..");
const folder = await mkdtemp(join(tmpdir(), "dueday-testkit-build-"));
const built = join(folder, "package");

beforeAll(() => buildPackage(built));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readFiles(): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(built, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.map(async (path) => ({ name: path.slice(built.length + 1), text: await readFile(path, "utf8") })),
  );
}

test("the packed package is clean for publint and are-the-types-wrong", async () => {
  expect(await findPackageFaults(built, await packPackage(built, folder))).toEqual([]);
});

test("no file has a path of the machine that built it, and no declaration names a package of this workspace or has the type any", async () => {
  const found = await readFiles();
  expect(found.map(({ name }) => name)).toContain("dist/service/main.js");
  expect(found.filter(({ text }) => text.includes(ROOT)).map(({ name }) => name)).toEqual([]);
  const declarations = found.filter(({ name }) => name.endsWith(".d.ts"));
  expect(declarations.length).toBeGreaterThan(2);
  for (const { name, text } of declarations) {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect([name, code.match(/@dueday\/[\w/]*|\bany\b/g)]).toEqual([name, null]);
  }
});

test("the service begins without node_modules: everything but the programs of the platform is in the bundle", () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(built, "dist/service/main.js"), "full"], {
    stdin: "ignore",
  });
  expect([exitCode, stderr.toString().trim()]).toEqual([1, '"full" is not a scenario: choose one of demo, empty']);
});
