import { afterEach, expect, test } from "bun:test";
import { DuedayError, type DuedayEvent } from "@dueday/sdk";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type LiveStatus, shareEvents } from "./shareEvents";

let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
});

// Only `seq` is used of it.
const event = (seq: number) => ({ seq, type: "remit.due" }) as unknown as DuedayEvent;

/** Follows streams that each yield some events and then fail with a code; the last one stays open. */
function follow(...streams: { seqs: number[]; failsWith?: "EVENTS_GONE" | "UNAUTHORIZED" }[]) {
  const opened: (number | undefined)[] = [];
  const seen = { seqs: [] as number[], statuses: [] as LiveStatus[], gaps: 0 };
  shareEvents(
    {
      async *events({ after } = {}, { onOpen, signal } = {}) {
        const stream = streams[opened.push(after) - 1];
        onOpen?.();
        for (const seq of stream?.seqs ?? []) yield event(seq);
        if (stream?.failsWith !== undefined) throw new DuedayError(stream.failsWith, "refused");
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      },
    },
    {
      chainId: 31337,
      signal: ending.signal,
      onEvent: ({ seq }) => void seen.seqs.push(seq),
      onStatus: (status) => void seen.statuses.push(status),
      onGap: () => void seen.gaps++,
    },
  );
  return { opened, seen };
}

test("where the place in the list is gone, events are followed from now on, and what is shown is asked for again", async () => {
  const { opened, seen } = follow({ seqs: [7, 8], failsWith: "EVENTS_GONE" }, { seqs: [1, 2] });
  await waitUntil("the events of the second stream", () => seen.seqs.length === 4);
  expect(seen).toEqual({ seqs: [7, 8, 1, 2], statuses: ["open", "open"], gaps: 1 });
  expect(opened).toEqual([undefined, undefined]);
});

test("another refusal is shown, and not repeated", async () => {
  const { opened, seen } = follow({ seqs: [7], failsWith: "UNAUTHORIZED" });
  await waitUntil("the status", () => seen.statuses.at(-1) === "failed");
  expect(opened).toEqual([undefined]);
  const gone = follow({ seqs: [], failsWith: "EVENTS_GONE" });
  await waitUntil("the status", () => gone.seen.statuses.at(-1) === "failed");
  expect(gone.opened).toHaveLength(1);
});

test("without locks each tab has its own stream, and takes no event from another tab", async () => {
  // Bun has no locks: each of these follows by itself.
  const first = follow({ seqs: [7, 8] });
  await waitUntil("the events of the first", () => first.seen.seqs.length === 2);
  const heard = new BroadcastChannel("dueday-events-31337");
  const posted = new BroadcastChannel("dueday-events-31337");
  const marker = new Promise((resolve) => heard.addEventListener("message", resolve));
  posted.postMessage({ kind: "event", event: event(9) });
  await marker;
  expect(first.seen.seqs).toEqual([7, 8]);
  for (const channel of [heard, posted]) channel.close();
});
