import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSecretsKey } from "./readSecretsKey";

const folder = await mkdtemp(join(tmpdir(), "dueday-secrets-"));
afterAll(() => rm(folder, { recursive: true }));

/** A data folder that does not exist yet. */
let made = 0;
const newDataDir = () => join(folder, String(made++));

test("the first start makes a key that its owner alone can read, and later starts read the same", async () => {
  const dataDir = newDataDir();
  const key = await readSecretsKey(dataDir);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(join(dataDir, "secrets-key"))).mode & 0o777).toBe(0o600);
  expect(await readSecretsKey(dataDir)).toBe(key);
});

test("each folder has its own key", async () => {
  expect(await readSecretsKey(newDataDir())).not.toBe(await readSecretsKey(newDataDir()));
});

test.each(["", "abc", "g".repeat(64), "a".repeat(65)])(
  "a file that contains %p is refused by its path, and kept",
  async (content) => {
    const dataDir = newDataDir();
    const file = join(dataDir, "secrets-key");
    await Bun.write(file, content);
    await expect(readSecretsKey(dataDir)).rejects.toThrow(`${file} must contain 64 hex digits`);
    expect(await Bun.file(file).text()).toBe(content);
  },
);

test("what can't be read is an error, not a new key", async () => {
  const dataDir = newDataDir();
  await mkdir(join(dataDir, "secrets-key"), { recursive: true });
  await expect(readSecretsKey(dataDir)).rejects.toThrow("EISDIR");
});
