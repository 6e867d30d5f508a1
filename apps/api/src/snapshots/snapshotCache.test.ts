import { describe, expect, test } from "bun:test";
import type { DueDayHead } from "@dueday/core/snapshots/dueDay";
import type { ProtocolState } from "@dueday/core/snapshots/protocolState";
import { type BlockStamp, storedKind } from "@dueday/core/snapshots/snapshot";
import { type ConfirmationMessage, shortHash } from "@dueday/db/confirmationMessage";
import { matchesTag } from "../answers/rendering";
import { createPageStore } from "./createPageStore";
import { createSnapshotCache, type HeldSnapshot } from "./snapshotCache";
import type { SnapshotView } from "./snapshotView";

const STALE_AFTER_MS = 60_000;
const START = 1_790_000_000_000;

const state: ProtocolState = {
  contractAddress: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  nextUncheckedDay: 20_711,
  nextUncheckedDate: "2026-09-15",
  currentDay: 20_717,
  callerFee: 10_200,
  callerFeePercent: "2",
  systemFee: 11_000,
  systemFeePercent: "10",
  maxRemits: 10,
  cancelLimit: 5,
  totalSubscribers: 60,
};

function protocolAt(blockNumber: string, computedAt = START, payload = state): HeldSnapshot<"protocol"> {
  const stamp: BlockStamp = {
    blockNumber,
    blockHash: `0x${blockNumber.padStart(64, "0")}`,
    blockTimestamp: 1_790_000_000,
  };
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(payload)).digest("hex");
  return { kind: "protocol", key: "", stamp, computedAt, confirmedAt: null, hash, orphaned: false, payload };
}

const view = (variant = "state"): SnapshotView => ({
  kind: "protocol",
  key: "",
  variant,
  present: (payload) => payload,
});

function createCache() {
  const clock = { now: START };
  return {
    clock,
    cache: createSnapshotCache({
      chainId: 31337,
      staleAfterMs: STALE_AFTER_MS,
      clock: () => clock.now,
      pages: createPageStore(async () => new Map()),
    }),
  };
}

function read(cache: ReturnType<typeof createCache>["cache"], variant?: string) {
  const answer = cache.answer(view(variant));
  if (answer === null) throw new Error("no answer");
  return { ...answer, value: JSON.parse(answer.text) };
}

describe("the tag of a snapshot answer", () => {
  test("stays while newer blocks do not change the content, and asOf and X-As-Of advance", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7"));
    const before = read(cache);
    cache.put(protocolAt("8", START + 1));
    const after = read(cache);
    expect(after.etag).toBe(before.etag);
    expect([before.value.asOf.blockNumber, after.value.asOf.blockNumber]).toEqual(["7", "8"]);
    expect(after.notModified.headers.get("x-as-of")).toStartWith("8;0x");
  });

  test("changes with the content", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7"));
    const before = read(cache);
    cache.put(protocolAt("8", START + 1, { ...state, maxRemits: 11 }));
    expect(read(cache).etag).not.toBe(before.etag);
  });

  test("changes when the snapshot becomes stale, and back when it is confirmed", () => {
    const { cache, clock } = createCache();
    cache.put(protocolAt("7"));
    const fresh = read(cache);
    clock.now = START + STALE_AFTER_MS;
    expect(read(cache).etag).toBe(fresh.etag);
    clock.now += 1;
    const stale = read(cache);
    expect(stale.etag).toBe(fresh.etag.replace('.0"', '.1"'));
    expect(stale.value.asOf.stale).toBe(true);
    expect(stale.full.headers.get("x-as-of")).toEndWith(";1");
    cache.put(protocolAt("7", clock.now));
    expect(read(cache).etag).toBe(fresh.etag);
  });

  test("is stale for a block that is no longer on the chain", () => {
    const { cache } = createCache();
    cache.put({ ...protocolAt("7"), orphaned: true });
    expect(read(cache).value.asOf.stale).toBe(true);
  });
});

describe("a confirmation", () => {
  const confirmation = (block: string, { hash }: HeldSnapshot, at = START): ConfirmationMessage => ({
    chainId: 31337,
    contract: state.contractAddress,
    confirmedAt: new Date(at).toISOString(),
    block: { number: block, hash: `0x${block.padStart(64, "0")}`, timestamp: 1_790_000_100 },
    snapshots: [[storedKind("protocol"), "", shortHash(hash)]],
  });

  test("moves asOf to the block of the proof and sets confirmedAt; computedAt, content and tag stay", () => {
    const { cache, clock } = createCache();
    cache.put(protocolAt("7"));
    const before = read(cache);
    clock.now = START + STALE_AFTER_MS;
    cache.confirm(confirmation("9", protocolAt("7"), clock.now));
    const after = read(cache);
    expect(after.etag).toBe(before.etag);
    expect(after.value.asOf).toMatchObject({
      blockNumber: "9",
      computedAt: before.value.asOf.computedAt,
      stale: false,
      confirmedAt: new Date(clock.now).toISOString(),
    });
    expect(before.value.asOf).not.toHaveProperty("confirmedAt");
    clock.now += STALE_AFTER_MS;
    expect(read(cache).value.asOf.stale).toBe(false);
    clock.now += 1;
    expect(read(cache).value.asOf.stale).toBe(true);
  });

  test("brings the milliseconds of its block, and none of the block before", () => {
    const { cache } = createCache();
    const held = protocolAt("7");
    cache.put({ ...held, stamp: { ...held.stamp, timestampMs: 1_790_000_000_600 } });
    expect(read(cache).value.asOf.timestampMs).toBe(1_790_000_000_600);
    const at = confirmation("8", held);
    cache.confirm({ ...at, block: { ...at.block, timestampMs: 1_790_000_100_200 } });
    expect(read(cache).value.asOf).toMatchObject({ blockNumber: "8", timestampMs: 1_790_000_100_200 });
    cache.confirm(confirmation("9", held));
    expect(read(cache).value.asOf.blockNumber).toBe("9");
    expect(read(cache).value.asOf).not.toHaveProperty("timestampMs");
  });

  test("of another content, of an earlier block or of an orphaned snapshot changes nothing", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7"));
    cache.confirm(confirmation("9", protocolAt("7", START, { ...state, maxRemits: 11 })));
    cache.confirm(confirmation("6", protocolAt("7")));
    expect(read(cache).value.asOf.blockNumber).toBe("7");
    cache.put({ ...protocolAt("7"), orphaned: true });
    cache.confirm(confirmation("9", protocolAt("7")));
    expect(read(cache).value.asOf).toMatchObject({ blockNumber: "7", stale: true });
  });

  test("stays when the row, which follows later, is read again; a new content takes its place", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7"));
    cache.confirm(confirmation("9", protocolAt("7")));
    cache.put(protocolAt("7"));
    expect(read(cache).value.asOf.blockNumber).toBe("9");
    cache.put(protocolAt("8", START, { ...state, maxRemits: 11 }));
    expect(read(cache).value).toMatchObject({ maxRemits: 11, asOf: { blockNumber: "8" } });
  });

  test("is taken back when its block was replaced, down to what the database has", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7"));
    cache.confirm(confirmation("9", protocolAt("7")));
    cache.withdraw(10n);
    expect(read(cache).value.asOf.blockNumber).toBe("9");
    cache.withdraw(8n);
    expect(read(cache).value.asOf).toMatchObject({ blockNumber: "7", stale: false });
    cache.withdraw(7n);
    expect(read(cache).value.asOf.stale).toBe(true);
  });
});

const DAYS_400 = 400 * 86_400_000;

describe("after a worker's clock was 400 days ahead", () => {
  test("what it dated in the future is stale", () => {
    const { cache, clock } = createCache();
    cache.put(protocolAt("7", START + DAYS_400));
    expect(read(cache).value.asOf.stale).toBe(true);
    clock.now = START + DAYS_400;
    expect(read(cache).value.asOf.stale).toBe(false);
  });

  test("the next block's snapshot, of the right time, takes its place and is fresh", () => {
    const { cache } = createCache();
    cache.put(protocolAt("7", START + DAYS_400));
    cache.put(protocolAt("8", START));
    expect(read(cache).value.asOf).toMatchObject({ blockNumber: "8", stale: false });
    expect(cache.newest()?.stamp.blockNumber).toBe("8");
  });
});

test("a clock that is a few seconds ahead makes nothing stale", () => {
  const { cache } = createCache();
  cache.put(protocolAt("7", START + 2_000));
  expect(read(cache).value.asOf.stale).toBe(false);
});

test("the newest snapshot is that of the highest block on the chain, whenever it was computed", () => {
  const { cache } = createCache();
  const due = (key: string, blockNumber: string, computedAt: number, orphaned = false): HeldSnapshot<"due"> => ({
    kind: "due",
    key,
    stamp: protocolAt(blockNumber).stamp,
    computedAt,
    confirmedAt: null,
    hash: "",
    orphaned,
    payload: { dayNumber: Number(key), date: null, results: [], totals: {} } as unknown as DueDayHead, // it is not presented
  });
  cache.put(due("1", "9", START, true));
  cache.put(due("2", "8", START));
  cache.put(due("3", "7", START + DAYS_400));
  expect(cache.newest()?.key).toBe("2");
});

test("an answer is rendered once for each variant, and any number of variants is answered", () => {
  const { cache } = createCache();
  cache.put(protocolAt("7"));
  expect(cache.answer(view("a"))).toBe(cache.answer(view("a")));
  const bodies = Array.from({ length: 100 }, (_, index) => read(cache, `variant ${index}`).value);
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
});

test("there is no answer before there is a snapshot", () => {
  const { cache } = createCache();
  expect(cache.answer(view())).toBeNull();
  expect(cache.newest()).toBeNull();
});

test.each([
  ['W/"abc.0"', true],
  ['"abc.0"', true],
  ['W/"x.0", W/"abc.0"', true],
  ["*", true],
  ['W/"abc.1"', false],
  ["abc.0", false],
  ["", false],
])('If-None-Match %p names W/"abc.0": %p', (header, expected) => {
  expect(matchesTag(header, 'W/"abc.0"')).toBe(expected);
});
