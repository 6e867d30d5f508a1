import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isServerOf, stopServer } from "./stopServer";

/** The state of a server according to `postmaster.pid`. */
export type ServerState = { pid: number; ready: boolean };

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
 * Prepares the cluster for a new server. A server left behind by a killed parent is stopped. A pid that is still in the file then
 * belongs to another program or to a zombie, and PostgreSQL would refuse to start. It is replaced by the pid of this process,
 * which PostgreSQL ignores because it is its parent; PostgreSQL still checks that shared memory of the old server is not in use.
 */
export async function clearLeftover(cluster: string): Promise<void> {
  const state = await readServerState(cluster);
  if (state !== null && (await isServerOf(cluster, state.pid))) await stopServer(state.pid, "fast");
  if ((await readServerState(cluster)) === null) return;
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [process.pid, ...rest].join("\n"));
}

/** @throws Error if the cluster was created by another major version of PostgreSQL */
export async function checkVersion(cluster: string, expected: string): Promise<void> {
  const found = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  if (found === expected) return;
  throw new Error(
    `the database in ${cluster} was created by PostgreSQL ${found}, but this version embeds PostgreSQL ${expected}: move the folder away, or run that server and set DATABASE_URL`,
  );
}
