import { constants } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isServerOf, stopServer, worksIn } from "./stopServer";

/** The state of a server according to `postmaster.pid`. */
export type ServerState = { pid: number; ready: boolean };

const REPLACE_NO_LINK = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;

const PID_LINE = 0;
const STATUS_LINE = 7;

/** The state of the server that runs or ran on this cluster; null after a clean stop. */
export async function readServerState(cluster: string): Promise<ServerState | null> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const pid = Number.parseInt(lines[PID_LINE] ?? "", 10);
  return Number.isInteger(pid) ? { pid, ready: lines[STATUS_LINE]?.trim() === "ready" } : null;
}

/**
 * Prepares the cluster for a new server. A server left behind by a killed parent is stopped. A pid that is still in the file then,
 * but not that of a running server, belongs to another program or to a zombie, and PostgreSQL would refuse to start. That pid is
 * replaced by the pid of this process, which PostgreSQL ignores as the pid of its parent; PostgreSQL still checks that shared memory
 * of the old server is not in use.
 *
 * @throws Error if a server that was started by other means runs on this cluster
 */
export async function clearLeftover(cluster: string): Promise<void> {
  const state = await readServerState(cluster);
  if (state !== null && (await isServerOf(cluster, state.pid))) await stopServer(state.pid, "fast");
  const remaining = await readServerState(cluster);
  if (remaining === null) return;
  // A running server stops when its postmaster.pid changes.
  if (await worksIn(cluster, remaining.pid)) {
    throw new Error(
      `a PostgreSQL server that this program did not start (pid ${remaining.pid}) runs on ${cluster}: stop it, or choose another DATA_DIR`,
    );
  }
  const path = join(cluster, "postmaster.pid");
  try {
    const [, ...rest] = (await readFile(path, "utf8")).split("\n");
    // The server's user can write into the cluster: a link of that user must not lead this process to another file.
    await writeFile(path, [process.pid, ...rest].join("\n"), { flag: REPLACE_NO_LINK });
  } catch (error) {
    // A server that was still stopping has removed the file.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/** @throws Error if the cluster was created by another major version of PostgreSQL */
export async function checkVersion(cluster: string, expected: string): Promise<void> {
  const found = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  if (found === expected) return;
  throw new Error(
    `the database in ${cluster} was created by PostgreSQL ${found}, but this version embeds PostgreSQL ${expected}: move the folder away, or run that server and set DATABASE_URL`,
  );
}
