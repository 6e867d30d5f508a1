import { afterAll, expect, test } from "bun:test";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
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

test("only its user can enter a temporary folder, and its name can't be predicted", async () => {
  const folders = [await makeProcessFolder(prefix), await makeProcessFolder(prefix)];
  for (const folder of folders) expect((await lstat(folder)).mode & 0o777).toBe(0o700);
  expect(new Set(folders.map((folder) => folder.slice(-6))).size).toBe(2);
});

test("a link to a database, and a folder that others can write into, are not changed, nor are their targets", async () => {
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  const victim = await mkdtemp(join(tmpdir(), `${prefix}victim-`));
  const pidFile = join(victim, "cluster", "postmaster.pid");
  await mkdir(join(victim, "cluster"));
  await writeFile(pidFile, "1\n");
  const planted = join(tmpdir(), `${prefix}${gone.pid}-link`);
  await symlink(victim, planted);
  const open = join(tmpdir(), `${prefix}${gone.pid}-open`);
  await mkdir(open);
  await chmod(open, 0o777);
  await removeAbandonedFolders(prefix);
  expect(await readFile(pidFile, "utf8")).toBe("1\n");
  expect((await lstat(planted)).isSymbolicLink()).toBe(true);
  expect((await lstat(open)).isDirectory()).toBe(true);
});
