import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isReachable } from "./isReachable";
import type { ServerUser } from "./serverUser";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * The folder of the cluster that belongs to `dataDir`: `dataDir` itself, unless the server runs as another user who can't enter
 * it (a data folder under /root). Then it is another folder, named by a hash of the path; the file `moved-to` in `dataDir` has its path.
 */
export async function placeHome(dataDir: string, user: ServerUser | null, temporary: boolean): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const real = await realpath(dataDir);
  if (user === null) return real;
  if (await isReachable(real)) {
    await chmod(real, 0o711);
    return real;
  }
  const name = `dueday-${createHash("sha256").update(real).digest("hex").slice(0, 16)}`;
  const home = join(temporary ? await realpath(tmpdir()) : "/var/lib/dueday", name);
  await mkdir(home, { recursive: true });
  const { uid, mode } = await lstat(home);
  if (uid !== 0 || (mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new Error(`${home} belongs to another user: remove it, or choose a DATA_DIR that every user can reach`);
  }
  await chmod(home, 0o711);
  await writeFile(join(real, "moved-to"), `${home}\n`);
  return home;
}
