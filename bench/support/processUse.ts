import { readFile } from "node:fs/promises";
import type { Database } from "@dueday/db/connectDatabase";

/** What a process and its descendants have used so far, from /proc of Linux. */
export type ProcessUse = {
  /** User and system time, including descendants that have ended. */
  cpuSeconds: number;
  /** Resident memory now. Pages that processes share are counted once for each process. */
  residentMb: number;
};

const CLOCK_TICKS = 100;
/** Indexes of /proc/<pid>/stat after the name: the process's own times, and those of children that it has waited for. */
const TIMES = [11, 12, 13, 14];

export async function processUse(pid: number): Promise<ProcessUse> {
  const [stat, status, children] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/task/${pid}/children`, "utf8"),
  ]);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = TIMES.reduce((sum, field) => sum + Number(fields[field]), 0);
  const own = {
    cpuSeconds: ticks / CLOCK_TICKS,
    residentMb: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024,
  };
  // A child may end meanwhile. The parent's time then includes the child's.
  const used = await Promise.allSettled(
    children
      .trim()
      .split(" ")
      .filter(Boolean)
      .map((child) => processUse(Number(child))),
  );
  return used.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])).reduce(add, own);
}

function add(a: ProcessUse, b: ProcessUse): ProcessUse {
  return { cpuSeconds: a.cpuSeconds + b.cpuSeconds, residentMb: a.residentMb + b.residentMb };
}

/** What a PostgreSQL server on this machine has used so far. */
export async function databaseUse({ sql }: Pick<Database, "sql">): Promise<ProcessUse> {
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const status = await readFile(`/proc/${backend?.pid}/status`, "utf8");
  return processUse(Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]));
}
