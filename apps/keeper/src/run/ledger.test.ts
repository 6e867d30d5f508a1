import { describe, expect, test } from "bun:test";
import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import { numberToHex } from "viem";
import type { MinedRemit, SendNode } from "../node/keeperNode";
import type { Mined } from "../send/createSender";
import { createLedger } from "./ledger";

const HASH = `0x${"11".repeat(32)}` as const;

/** The fields that the ledger sums. */
const EFFECTS = { payments: 3, failures: 0, callerFees: [] } as Partial<RemitEffects> as RemitEffects;
const UNEXPLAINED = { isRival: false };
const effectsOf = ({ success }: MinedRemit) => (success ? EFFECTS : null);

function mined(success: boolean, blockNumber: bigint): Mined {
  // The fields that the ledger reads.
  const receipt = { hash: HASH, success, blockNumber, costWei: 5n, logs: [] } as Partial<MinedRemit> as MinedRemit;
  return { receipt, attempt: null };
}

/** A node that knows one receipt, or none: the ledger asks for nothing else. */
function nodeWith(known: Mined | null): SendNode {
  return { receipt: async () => known?.receipt ?? null } as Partial<SendNode> as SendNode;
}

test("a transaction that reverts after a reorganisation leaves the sums, and is returned until it is added again, even if it is final", async () => {
  const ledger = createLedger(effectsOf);
  ledger.add(mined(true, 10n), EFFECTS);
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3, costWei: 5n });
  const changed = [mined(false, 11n)];
  const reverted = nodeWith(mined(false, 11n));
  for (const finalized of [9n, 20n]) {
    expect(await ledger.recheck(reverted, { timestamp: 100, finalized })).toEqual({ removed: [], changed });
    expect(ledger.totals()).toMatchObject({ settled: 0, payments: 0, costWei: 0n });
  }
  ledger.add(mined(false, 11n), UNEXPLAINED);
  expect(await ledger.recheck(reverted, { timestamp: 101, finalized: 20n })).toEqual({ removed: [], changed: [] });
  expect(ledger.totals()).toMatchObject({ settled: 0, payments: 0, reverted: 1, costWei: 5n, lossWei: 5n });
});

test("a transaction that is mined again as before counts again", async () => {
  const ledger = createLedger(effectsOf);
  ledger.add(mined(true, 10n), EFFECTS);
  const removed = [HASH];
  expect(await ledger.recheck(nodeWith(null), { timestamp: 100, finalized: 9n })).toEqual({ removed, changed: [] });
  expect(ledger.totals().settled).toBe(0);
  await ledger.recheck(nodeWith(mined(true, 12n)), { timestamp: 101, finalized: 20n });
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3, costWei: 5n });
});

test("a transaction whose reverted receipt can still be reorganised is not given up", async () => {
  const ledger = createLedger(effectsOf);
  ledger.add(mined(true, 10n), EFFECTS);
  await ledger.recheck(nodeWith(mined(false, 15n)), { timestamp: 100, finalized: 12n });
  await ledger.recheck(nodeWith(mined(true, 16n)), { timestamp: 101, finalized: 13n });
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3 });
  await ledger.recheck(nodeWith(mined(false, 17n)), { timestamp: 102, finalized: 14n });
  ledger.add(mined(false, 17n), UNEXPLAINED);
  const changed = [mined(true, 18n)];
  const again = { timestamp: 103, finalized: 15n };
  expect(await ledger.recheck(nodeWith(mined(true, 18n)), again)).toEqual({ removed: [], changed });
  ledger.add(mined(true, 18n), EFFECTS);
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3, reverted: 0, lossWei: 0n });
});

describe("a remit() of another keeper", () => {
  const rival = `0x${"22".repeat(32)}` as const;
  const lost = mined(false, 10n);
  const late = { timestamp: 100, finalized: 20n };

  test("is one lost race, whether its log or an own loss is seen first", () => {
    for (const isLogFirst of [true, false]) {
      const ledger = createLedger(effectsOf);
      if (isLogFirst) ledger.addRivals([rival]);
      ledger.add(lost, { isRival: true, rival });
      expect(ledger.totals().lost).toBe(1);
      ledger.addRivals([rival]);
      expect(ledger.totals().lost).toBe(1);
    }
  });

  test("is one lost race where an own loss names no rival, with its log or without", () => {
    const ledger = createLedger(effectsOf);
    ledger.add(lost, { isRival: true });
    expect(ledger.totals().lost).toBe(1);
    ledger.addRivals([rival]);
    expect(ledger.totals().lost).toBe(1);
  });

  test("stays one lost race after the own loss is final", async () => {
    const ledger = createLedger(effectsOf);
    ledger.add(lost, { isRival: true, rival });
    await ledger.recheck(nodeWith(lost), late);
    expect(ledger.totals().lost).toBe(1);
    ledger.addRivals([rival]);
    expect(ledger.totals().lost).toBe(1);
  });

  test("does not count as a lost race where, after a reorganisation, the keeper's transaction settles something or is gone", async () => {
    const settled = createLedger(effectsOf);
    settled.add(lost, { isRival: true, rival });
    settled.add(mined(true, 11n), EFFECTS);
    expect(settled.totals()).toMatchObject({ settled: 1, reverted: 0, lost: 0 });
    const gone = createLedger(effectsOf);
    gone.add(lost, { isRival: true, rival });
    await gone.recheck(nodeWith(null), late);
    expect(gone.totals()).toMatchObject({ settled: 0, reverted: 0, lost: 0 });
  });

  test("counts however many others there are", () => {
    const ledger = createLedger(effectsOf);
    for (let batch = 0; batch < 3; batch++) {
      ledger.addRivals(Array.from({ length: 9_000 }, (_, index) => numberToHex(batch * 9_000 + index)));
    }
    expect(ledger.totals().lost).toBe(27_000);
  });
});
