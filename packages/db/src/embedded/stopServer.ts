import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { waitFor } from "../waitFor";

/** A fast shutdown ends the sessions and writes a checkpoint; an immediate one leaves the recovery to the next start. */
export type ShutdownMode = "fast" | "immediate";

const PATIENCE_MS = 10_000;

/** Ends the server with this pid and waits until it is gone; one that does not answer is ended harder. */
export async function stopServer(pid: number, mode: ShutdownMode): Promise<void> {
  const signals: NodeJS.Signals[] = mode === "fast" ? ["SIGINT", "SIGQUIT", "SIGKILL"] : ["SIGQUIT", "SIGKILL"];
  for (const signal of signals) {
    if (!(await isRunning(pid))) return;
    process.kill(pid, signal);
    if (await waitFor(async () => !(await isRunning(pid)), PATIENCE_MS)) return;
  }
  throw new Error(`PostgreSQL (pid ${pid}) does not end`);
}

/** Whether this pid is a PostgreSQL server on this cluster, and not another program that was given the same number. */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  return (await commandOf(pid)).includes(cluster);
}

/** A process that ended but was never collected by its parent has no command any more. */
async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== "";
}

async function commandOf(pid: number): Promise<string> {
  if (existsSync("/proc/self/cmdline")) return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return await new Response(Bun.spawn(["ps", "-o", "command=", "-p", String(pid)]).stdout).text();
}
