import { access, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeProcessFolder, removeAbandonedFolders } from "./processFolder";

const UNFINISHED = "unfinished-";

/**
 * Creates a folder of the cache and fills it with `make`, unless it exists. The folder is filled under another name and renamed when
 * it is complete. Several processes may do so at once.
 *
 * @returns its path
 */
export async function makeOnce(cache: string, name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const target = join(cache, name);
  if (await exists(target)) return target;
  await removeAbandonedFolders(UNFINISHED, cache);
  const unfinished = await makeProcessFolder(UNFINISHED, cache);
  try {
    await make(unfinished);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process may have made it at the same time.
    if (!(await exists(target))) throw error;
  }
  return target;
}

/**
 * Removes a folder that `makeOnce` has made. The folder is renamed before its files are removed, so that no process copies a part
 * of it. If this process is killed meanwhile, the next process that makes a folder removes the rest.
 */
export async function removeMade(cache: string, name: string): Promise<void> {
  const trash = await makeProcessFolder(UNFINISHED, cache);
  try {
    await rename(join(cache, name), join(trash, name));
  } catch (error) {
    // Another process may have removed it at the same time.
    if (await exists(join(cache, name))) throw error;
  } finally {
    await rm(trash, { recursive: true, force: true });
  }
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
