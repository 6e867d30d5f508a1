import { afterAll, expect, test } from "bun:test";
import { mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeProcessFolder, removeAbandonedFolders } from "./processFolder";

const prefix = `dueday-folders-${crypto.randomUUID()}-`;
const left = async () => (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));

afterAll(async () => {
  for (const name of await left()) await rm(join(tmpdir(), name), { recursive: true });
});

test("the folder of a process that has ended is removed; folders of running processes, of this one and any others stay", async () => {
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  for (const name of [`${gone.pid}-abc`, "1-abc", "notes"]) await mkdir(join(tmpdir(), prefix + name));
  const own = await makeProcessFolder(prefix);
  await removeAbandonedFolders(prefix);
  expect(new Set(await left())).toEqual(new Set([`${prefix}1-abc`, `${prefix}notes`, own.slice(tmpdir().length + 1)]));
});
