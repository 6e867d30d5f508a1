import type { RpcPurpose } from "./rpcPurpose";

/** What the calls of one method for one purpose cost a minute, on average over the window. */
export type RpcUsageRow = {
  purpose: RpcPurpose;
  method: string;
  callsPerMinute: number;
  computeUnitsPerMinute: number;
  bytesPerMinute: number;
};

export type RpcUsageReport = { purpose: RpcPurpose; method: string; computeUnits: number; bytes: number };

/** Counts what was sent to the nodes of a chain within the last minutes. */
export type RpcUsage = {
  note(report: RpcUsageReport): void;
  /** The most expensive first. */
  rows(): RpcUsageRow[];
};

const WINDOW_MS = 300_000;
const BUCKET_MS = 30_000;

type Bucket = { start: number; rows: Map<string, RpcUsageReport & { calls: number }> };

/** @param clock Milliseconds, from any start; never set back. Default: `performance.now`. */
export function createRpcUsage(clock: () => number = () => performance.now()): RpcUsage {
  const begin = clock();
  let buckets: Bucket[] = [];

  function current(): Bucket {
    const start = Math.floor(clock() / BUCKET_MS) * BUCKET_MS;
    const last = buckets.at(-1);
    if (last?.start === start) return last;
    const opened: Bucket = { start, rows: new Map() };
    buckets = [...buckets.filter((each) => each.start > start - WINDOW_MS), opened];
    return opened;
  }

  function add(rows: Bucket["rows"], report: RpcUsageReport, calls: number): void {
    const { purpose, method } = report;
    const key = `${purpose} ${method}`;
    const before = rows.get(key) ?? { purpose, method, calls: 0, computeUnits: 0, bytes: 0 };
    before.calls += calls;
    before.computeUnits += report.computeUnits;
    before.bytes += report.bytes;
    rows.set(key, before);
  }

  return {
    note: (report) => add(current().rows, report, 1),
    rows() {
      const oldest = current().start - WINDOW_MS;
      const total: Bucket["rows"] = new Map();
      for (const { rows } of buckets) for (const row of rows.values()) add(total, row, row.calls);
      const from = Math.max(begin, oldest + BUCKET_MS);
      const minutes = Math.max(1_000, clock() - from) / 60_000;
      const perMinute = (count: number) => Math.round((count / minutes) * 10) / 10;
      return [...total.values()]
        .toSorted((a, b) => b.computeUnits - a.computeUnits || b.calls - a.calls)
        .map(({ purpose, method, calls, computeUnits, bytes }) => ({
          purpose,
          method,
          callsPerMinute: perMinute(calls),
          computeUnitsPerMinute: perMinute(computeUnits),
          bytesPerMinute: Math.round(bytes / minutes),
        }));
    },
  };
}
