import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isReachable } from "./isReachable";
import { isOwn, makeProcessFolder, removeAbandonedFolders } from "./processFolder";
import type { ServerUser } from "./serverUser";

const WRITABLE_BY_ALL = 0o002;
const TEMPORARY_HOME = "dueday-home-";

/**
 * The folder of the cluster that belongs to `dataDir`: `dataDir` itself, unless the server runs as another user who can't enter
 * it (a data folder under /root). In that case it is another folder, whose name has a hash of the path, or is random if
 * temporary; the file `moved-to` in `dataDir` contains the folder's path.
 *
 * @throws Error if another user owns the folder, or every user can write into it: a link there would make this process overwrite the
 * link's target
 */
export async function placeHome(dataDir: string, user: ServerUser | null, temporary: boolean): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const real = await realpath(dataDir);
  const { uid, mode } = await lstat(real);
  if (![0, process.getuid?.()].includes(uid) || (mode & WRITABLE_BY_ALL) !== 0) {
    throw new Error(
      `the data folder ${real} belongs to another user, or every user can write into it: choose another DATA_DIR, or correct its owner and mode`,
    );
  }
  if (user === null) return real;
  if (await isReachable(real)) {
    await chmod(real, 0o711);
    return real;
  }
  const home = temporary ? await makeTemporaryHome() : await makeHome(real);
  await chmod(home, 0o711);
  await writeFile(join(real, "moved-to"), `${home}\n`);
  return home;
}

async function makeTemporaryHome(): Promise<string> {
  await removeAbandonedFolders(TEMPORARY_HOME);
  return realpath(await makeProcessFolder(TEMPORARY_HOME));
}

async function makeHome(dataDir: string): Promise<string> {
  const name = `dueday-${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
  const home = join("/var/lib/dueday", name);
  await mkdir(home, { recursive: true });
  if (!(await isOwn(home)))
    throw new Error(`${home} belongs to another user: remove it, or choose a DATA_DIR that every user can reach`);
  return home;
}
