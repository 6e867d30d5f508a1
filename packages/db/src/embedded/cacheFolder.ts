import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isOwn } from "./processFolder";

/**
 * The folder of this user for files that every start can use again. Root's folder is outside root's home, because the server then
 * runs as another user, who must be able to read the files.
 *
 * @throws Error if another user could put programs there
 */
export async function cacheFolder(): Promise<string> {
  const folder = process.getuid?.() === 0 ? "/var/cache/dueday" : join(homedir(), ".cache", "dueday");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (await isOwn(folder)) return folder;
  throw new Error(
    `${folder} belongs to another user, or others can write into it: remove it, or correct its owner and mode`,
  );
}
