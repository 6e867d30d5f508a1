import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encryptionKey } from "@dueday/config/kinds";
import { Value } from "@sinclair/typebox/value";

/**
 * Reads the key that encrypts the secrets in the embedded PostgreSQL from the file `secrets-key` in the service's data folder; the first
 * start creates it. A file that exists but can't be read is an error: with another key, the stored secrets would be lost.
 *
 * @returns 64 hex digits
 * @throws Error for a file that contains something else, such as one that a full disk left empty
 */
export async function readSecretsKey(dataDir: string): Promise<string> {
  const file = join(dataDir, "secrets-key");
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const key = (await readFile(file, "utf8")).trim();
  if (Value.Check(encryptionKey, key)) return key;
  throw new Error(
    `${file} must contain 64 hex digits. Restore it from a backup; without one, delete it and rotate the secret of each webhook`,
  );
}
