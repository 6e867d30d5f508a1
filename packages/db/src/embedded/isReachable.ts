import { stat } from "node:fs/promises";
import { dirname } from "node:path";

const SEARCHABLE_BY_ALL = 0o001;

/** Whether every user may enter all folders above `path` (false under /root, for example). */
export async function isReachable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & SEARCHABLE_BY_ALL) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
