import { readUnprovenRanges, recordProven } from "@dueday/db/indexing/unprovenRanges";
import type { IndexContext } from "./indexContext";
import { compareLogs } from "./recheckLogs";

/** Requests for logs between two checks of the time limit. */
const REQUESTS_AT_ONCE = 8;
/** No updates are stored meanwhile, so what is left after this time waits for the next call. */
const LONGEST_MS = 3_000;

/**
 * Some blocks were indexed without reading their events, because that cost too much. Compares them with the chain now
 * that it costs little, and repairs what differs.
 */
export async function proveRanges(context: IndexContext): Promise<void> {
  const { database, chain, logsSize } = context;
  const until = performance.now() + LONGEST_MS;
  for (const range of await readUnprovenRanges(database, chain)) {
    for (let { from } = range; from <= range.to && performance.now() < until; ) {
      const part = { from, to: Math.min(range.to, from + REQUESTS_AT_ONCE * logsSize.current() - 1) };
      if ((await compareLogs(context, part)) === "moved") return;
      await recordProven(database, chain, part);
      from = part.to + 1;
    }
  }
}
