import { expect, test } from "bun:test";
import { dueDayOf } from "@dueday/core/test/dueDayOf";
import { type Dueday, DuedayError } from "@dueday/sdk";
import { readDueDay } from "./readDueDay";

type GetDue = Dueday["getSubscriptionsDue"];
type DueDay = Awaited<ReturnType<GetDue>>;

const DATE = "2026-11-20";
const unknownBlock = new DuedayError("VALIDATION_ERROR", "atBlock is too old", {
  issues: [{ code: "UNKNOWN_BLOCK", path: "atBlock", message: "is too old" }],
});

/**
 * A service whose state of the day is `stateOf(n)` for the n-th request. The subscribers of each entry show its state. As the service does,
 * it answers from a snapshot with `atBlock`, which is the number of a state. Reversed lists have equal sums.
 */
function serve(
  stateOf: (request: number) => { lengths: number[]; state: number; isReversed?: boolean } | Error,
  source: "snapshot" | "live",
) {
  const asked: unknown[] = [];
  const getSubscriptionsDue = (async ({ first = 50, skip = 0, atBlock } = {}) => {
    const found = stateOf(asked.push({ first, skip, ...(atBlock !== undefined && { atBlock }) }));
    if (found instanceof Error) throw found;
    const state = atBlock === undefined ? found.state : Number(atBlock);
    const { lists, ...day } = dueDayOf(20_777, found.lengths, () => state);
    const results = lists.map(({ subscriptions, ...list }) => ({
      ...list,
      subscriptions: (found.isReversed ? subscriptions.toReversed() : subscriptions).slice(skip, skip + first),
    }));
    // Only these fields are read.
    return { ...day, results, asOf: { blockNumber: String(state), source } } as unknown as DueDay;
  }) as GetDue;
  return { asked, dueday: { getSubscriptionsDue } };
}

const subscribersOf = (due: readonly { subscribers: number }[]) => [...new Set(due.map((each) => each.subscribers))];

test("the pages of a snapshot are of the first page's block, though the day changes with every request", async () => {
  const { asked, dueday } = serve((state) => ({ lengths: [450, 0, 3, 201], state }), "snapshot");
  const all = await readDueDay(dueday, { date: DATE });
  expect(new Set(all.map(({ id }) => id)).size).toBe(450 + 3 + 201);
  expect([all.length, subscribersOf(all)]).toEqual([450 + 3 + 201, [1]]);
  expect(asked).toEqual([
    { first: 200, skip: 0 },
    { first: 200, skip: 200, atBlock: "1" },
    { first: 200, skip: 400, atBlock: "1" },
  ]);
});

test("a day that is read live, and changes between two pages, is read again from its first page", async () => {
  const { asked, dueday } = serve((request) => ({ lengths: [450], state: request < 2 ? 1 : 2 }), "live");
  const all = await readDueDay(dueday, { date: DATE });
  expect([all.length, subscribersOf(all)]).toEqual([450, [2]]);
  expect(asked.map((each) => Object(each).skip)).toEqual([0, 200, 0, 200, 400]);
});

test("a day that is read live, and whose pages have equal sums but an entry twice, is read again from its first page", async () => {
  const { asked, dueday } = serve((request) => ({ lengths: [450, 3], state: 1, isReversed: request < 3 }), "live");
  const all = await readDueDay(dueday, { date: DATE });
  expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([453, 453]);
  expect(asked.map((each) => Object(each).skip)).toEqual([0, 200, 400, 0, 200, 400]);
});

test("a day of which the service has forgotten the block is read once again, and then fails", async () => {
  const day = { lengths: [450], state: 1 };
  const once = serve((request) => (request === 2 ? unknownBlock : day), "snapshot");
  expect(await readDueDay(once.dueday, { date: DATE })).toHaveLength(450);
  const always = serve((request) => (request % 2 === 0 ? unknownBlock : day), "snapshot");
  await expect(readDueDay(always.dueday, { date: DATE })).rejects.toThrow(
    /changed .* twice, because payments .* read them again/,
  );
  expect(always.asked).toHaveLength(4);
});

test("where the pages are more requests than a minute allows, the next one waits as long as the service asks, but not for another day", async () => {
  const refusal = (retryAfter: number) => new DuedayError("RATE_LIMITED", "too many requests", { retryAfter });
  const waits: number[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const { dueday } = serve((request) => (request === 2 ? refusal(41) : { lengths: [450], state: 1 }), "snapshot");
  expect(await readDueDay(dueday, { date: DATE }, wait)).toHaveLength(450);
  const spent = serve(() => refusal(3_600), "snapshot");
  await expect(readDueDay(spent.dueday, { date: DATE }, wait)).rejects.toThrow("too many requests");
  expect(waits).toEqual([41_000]);
});
