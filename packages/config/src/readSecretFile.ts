import { readFile, stat } from "node:fs/promises";

const OTHERS_MAY = 0o077;
const LARGEST_FILE_BYTES = 65_536;

/** Reads a file that holds a key or a password, if only its owner may read it. @returns its text, or why it is not read */
export async function readSecretFile(path: string): Promise<{ content: string } | { problem: string }> {
  try {
    const { mode, size } = await stat(path);
    if ((mode & OTHERS_MAY) !== 0) {
      return { problem: "is open to other users of this machine: run chmod 600 on the file" };
    }
    if (size > LARGEST_FILE_BYTES) return { problem: `is larger than ${LARGEST_FILE_BYTES} bytes` };
    return { content: await readFile(path, "utf8") };
  } catch {
    return { problem: "can't be read: check the path, and that the user of this process may read the file" };
  }
}
