import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isServerOf, stopServer } from "./stopServer";

/** What a server says of itself in `postmaster.pid`. */
export type ServerState = { pid: number; ready: boolean };

const PID_LINE = 0;
const STATUS_LINE = 7;

/** The state of the server that runs, or ran, on this cluster; null when none did since the last clean stop. */
export async function readServerState(cluster: string): Promise<ServerState | null> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const pid = Number.parseInt(lines[PID_LINE] ?? "", 10);
  return Number.isInteger(pid) ? { pid, ready: lines[STATUS_LINE]?.trim() === "ready" } : null;
}

/**
 * Clears the way for a new server on this cluster. One that was left behind by a killed parent is stopped. A number that then
 * still stands in its file belongs to another program, or to a dead process nobody collected, and PostgreSQL would refuse to
 * start: it is replaced by our own, which PostgreSQL takes for its parent and passes over; it still checks that no memory of the
 * old server is in use.
 */
export async function clearLeftover(cluster: string): Promise<void> {
  const state = await readServerState(cluster);
  if (state !== null && (await isServerOf(cluster, state.pid))) await stopServer(state.pid, "fast");
  if ((await readServerState(cluster)) === null) return;
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [process.pid, ...rest].join("\n"));
}

/** @throws Error when the cluster was made by another major version of PostgreSQL. */
export async function checkVersion(cluster: string, expected: string): Promise<void> {
  const found = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  if (found === expected) return;
  throw new Error(
    `the database in ${cluster} was made by PostgreSQL ${found}, this is ${expected}: move it away, or serve it by DATABASE_URL`,
  );
}
