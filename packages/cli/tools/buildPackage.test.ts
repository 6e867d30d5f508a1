import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildPackage } from "./buildPackage";

// Inside the package, where the library of arguments is found as in an installed one.
const folder = join(import.meta.dir, `../build/test-${process.pid}`);
const command = join(folder, "dist/cli.js");

beforeAll(() => buildPackage(folder));
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the built command has no path of this machine", async () => {
  expect(await readFile(command, "utf8")).not.toContain(join(import.meta.dir, "../../.."));
});

test.each(["node", process.execPath])("%s starts the built command", (program) => {
  const { exitCode, stdout } = Bun.spawnSync([program, command, "--help"]);
  expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining("Usage: dueday")]);
});

test("what reads loads no code that encodes, decodes or signs", async () => {
  const [loaded, left] = [new Set<string>(), ["cli.js"]];
  let bytes = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    const text = await readFile(join(folder, "dist", name), "utf8");
    bytes += text.length;
    left.push(...[...text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].flatMap(([, path = ""]) => path));
  }
  expect(bytes).toBeLessThan(120_000);
});

test.each(["node", process.execPath])("%s loads the parts that sign where they are asked for", (program) => {
  const away = "http://127.0.0.1:1";
  const signing = ["prepare", "remit", "--send", "--yes", "--keystore", join(folder, "none"), "--rpc", away];
  const { exitCode, stderr } = Bun.spawnSync([program, command, "--api", away, ...signing]);
  expect([exitCode, stderr.toString()]).toEqual([2, expect.stringContaining("--keystore can't be read")]);
});
