import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readlink, realpath } from "node:fs/promises";
import { waitFor } from "../waitFor";

/** `fast` ends the sessions and writes a checkpoint; `immediate` leaves recovery to the next start. */
export type ShutdownMode = "fast" | "immediate";

const TIMEOUT_MS = 10_000;

/** Stops the server with this pid and waits until it has ended; a server that does not react gets a stronger signal. */
export async function stopServer(pid: number, mode: ShutdownMode): Promise<void> {
  const signals: NodeJS.Signals[] = mode === "fast" ? ["SIGINT", "SIGQUIT", "SIGKILL"] : ["SIGQUIT", "SIGKILL"];
  for (const signal of signals) {
    if (!(await isRunning(pid))) return;
    if (!sendSignal(pid, signal)) return;
    if (await waitFor(async () => !(await isRunning(pid)), TIMEOUT_MS)) return;
  }
  throw new Error(`PostgreSQL (pid ${pid}) did not stop after ${signals.join(", ")}`);
}

/** Whether the command line of this pid names the cluster, as that of a server that this program started does. Another program with a reused pid does not name it. */
export async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  return (await commandOf(pid)).includes(cluster);
}

/** Whether the process works in this folder, as every PostgreSQL server does in its cluster. False where the system has no /proc. */
export async function worksIn(folder: string, pid: number): Promise<boolean> {
  const place = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return place !== null && place === (await realpath(folder));
}

/** Returns false if the process ended before it could receive the signal. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** A zombie has no command line and does not count as running. */
async function isRunning(pid: number): Promise<boolean> {
  return (await commandOf(pid)) !== "";
}

async function commandOf(pid: number): Promise<string> {
  if (existsSync("/proc/self/cmdline")) return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return await new Response(Bun.spawn(["ps", "-o", "command=", "-p", String(pid)]).stdout).text();
}

/** Whether the process has ended. Check it before sending a signal, because the pid may then belong to another process. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
