import { expect, test } from "bun:test";
import { type DueQuery, presentDueDay } from "@dueday/chain/due/presentDueDay";
import { pagesOfQuery, presentDueHead } from "@dueday/chain/due/presentDueHead";
import { DUE_LIST_LIMIT, SKIP_LIMIT } from "@dueday/core/paging";
import { dueDayOf } from "@dueday/core/test/dueDayOf";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { createPageStore } from "./createPageStore";
import { createSnapshotCache, type HeldSnapshot } from "./snapshotCache";
import type { SnapshotViewOf } from "./snapshotView";

const DAY = 20_777;
const KEY = String(DAY);

function viewOf(query: DueQuery): SnapshotViewOf<"due"> {
  return {
    kind: "due",
    key: KEY,
    variant: JSON.stringify(query),
    pages: (head) => pagesOfQuery(head, query),
    present: (head, pages) => presentDueHead(head, pages, query),
  };
}

/** A cache whose pages come from `stored`, each read in a later turn. */
function createCache(stored: Map<string, string>, clock = () => 0) {
  const pages = createPageStore(async (hashes) => {
    await Promise.resolve();
    return new Map(hashes.flatMap((hash) => (stored.has(hash) ? [[hash, stored.get(hash) ?? ""] as const] : [])));
  });
  return createSnapshotCache({ chainId: 31337, staleAfterMs: 60_000, clock, pages });
}

/** Stores the day's pages and returns its head as the snapshot of a block. */
function store(stored: Map<string, string>, block: number, day: ReturnType<typeof dueDayOf>): HeldSnapshot<"due"> {
  const { head, pages } = cutDueDay(day);
  for (const { hash, payload } of pages) stored.set(hash, payload);
  const stamp = { blockNumber: String(block), blockHash: `0x${block}`, blockTimestamp: 0 } as const;
  const times = { computedAt: 0, confirmedAt: null, hash: String(block), orphaned: false };
  return { kind: "due", key: KEY, stamp, ...times, payload: head };
}

const anyQuery = fc.record({
  frequency: fc.constantFrom(undefined, 0, 1, 2, 3),
  first: fc.integer({ min: 1, max: 200 }),
  skip: fc.oneof(fc.integer({ min: 0, max: SKIP_LIMIT }), fc.integer({ min: 0, max: 300 })),
});

test("every page equals that of the whole day, whatever lies in memory", async () => {
  const day = dueDayOf(DAY, [DUE_LIST_LIMIT, 250, 0, 100]);
  const stored = new Map<string, string>();
  const cache = createCache(stored);
  cache.put(store(stored, 7, day));
  await fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      const view = viewOf(query);
      expect(await cache.load(view)).toBe(true);
      const { chainId: _, asOf: __, ...answer } = JSON.parse(cache.answer(view)?.text ?? "{}");
      expect(answer).toEqual(JSON.parse(JSON.stringify(presentDueDay(day, query))));
    }),
    { seed: testSeed, numRuns: 200 },
  );
});

test("while the list changes each answer is of one state, that of its block: none of another, none missing, none twice", async () => {
  const stored = new Map<string, string>();
  const cache = createCache(stored);
  const lengths = [1_000];
  const query = { frequency: 0, first: 200, skip: 50 };
  // Every entry shows the state that it belongs to.
  for (let block = 1; block <= 40; block++) {
    cache.put(
      store(
        stored,
        block,
        dueDayOf(DAY, lengths, () => block),
      ),
    );
    const view = viewOf({ ...query, skip: block % 2 === 0 ? 50 : 750 });
    const loading = cache.load(view);
    // The next state comes while pages of this one are being read.
    if (block % 3 === 0)
      cache.put(
        store(
          stored,
          block,
          dueDayOf(DAY, lengths, () => 1_000 + block),
        ),
      );
    const hasLoaded = await loading;
    const answer = cache.answer(view);
    if (block % 3 === 0) {
      expect(answer).toBeNull();
      continue;
    }
    expect(hasLoaded).toBe(true);
    const { results, totals } = JSON.parse(answer?.text ?? "{}");
    const [{ subscriptions, subscriptionIds }] = results;
    expect(totals.payments).toBe(1_000 * block);
    expect(subscriptions.map((each: { subscribers: number }) => each.subscribers)).toEqual(Array(200).fill(block));
    expect(new Set(subscriptionIds).size).toBe(200);
  }
});

test("with the block of the first page, the pages of a list that changes between them are of one state: none of another, none missing, none twice", async () => {
  const stored = new Map<string, string>();
  let now = 0;
  const cache = createCache(stored, () => now);
  const pageOf = async (skip: number, atBlock?: bigint) => {
    const view = viewOf({ frequency: 0, first: 200, skip });
    const at = atBlock === undefined ? view : { ...view, atBlock };
    await cache.load(at);
    const answer = cache.answer(at);
    return answer === null ? null : JSON.parse(answer.text);
  };
  let block = 0;
  const change = () => {
    block++;
    const state = block;
    cache.put(
      store(
        stored,
        block,
        dueDayOf(DAY, [1_000 + block], () => state),
      ),
    );
  };
  for (let round = 0; round < 20; round++) {
    change();
    const first = await pageOf(0);
    const at = BigInt(first.asOf.blockNumber);
    const [list] = first.results;
    const ids: string[] = [...list.subscriptionIds];
    const states = new Set(list.subscriptions.map(({ subscribers }: { subscribers: number }) => subscribers));
    for (let skip = 200; skip < list.count; skip += 200) {
      change();
      const page = await pageOf(skip, at);
      expect(page.results[0].count).toBe(list.count);
      ids.push(...page.results[0].subscriptionIds);
      for (const { subscribers } of page.results[0].subscriptions) states.add(subscribers);
    }
    expect([...states]).toEqual([Number(at)]);
    expect(ids).toHaveLength(list.count);
    expect(new Set(ids).size).toBe(list.count);
  }
  // A block that was never seen, one that was replaced, and one whose time is over have no answer.
  expect(await pageOf(0, BigInt(block + 1))).toBeNull();
  const before = BigInt(block - 1);
  expect(await pageOf(0, before)).not.toBeNull();
  now += 600_001;
  change();
  expect(await pageOf(0, before)).toBeNull();
  change();
  cache.withdraw(BigInt(block - 1));
  expect(await pageOf(0, BigInt(block - 1))).toBeNull();
});

test("pages that the database does not have any more give no answer from the snapshot", async () => {
  const stored = new Map<string, string>();
  const cache = createCache(stored);
  cache.put(store(stored, 7, dueDayOf(DAY, [300])));
  stored.clear();
  const view = viewOf({ frequency: undefined, first: 50, skip: 0 });
  expect(await cache.load(view)).toBe(false);
  expect(cache.answer(view)).toBeNull();
});
