import { expect, test } from "bun:test";
import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { MinedRemit, SendNode } from "../node/keeperNode";
import { createLedger } from "./ledger";

const HASH = `0x${"11".repeat(32)}` as const;

/** The fields that the ledger sums. */
const EFFECTS = { payments: 3, failures: 0, callerFees: [] } as Partial<RemitEffects> as RemitEffects;

/** The fields that the ledger reads. */
function mined(success: boolean, blockNumber: bigint): MinedRemit {
  return { hash: HASH, success, blockNumber, costWei: 5n, logs: [] } as Partial<MinedRemit> as MinedRemit;
}

/** A node that knows one receipt, or none: the ledger asks for nothing else. */
function nodeWith(receipt: MinedRemit | null): SendNode {
  return { receipt: async () => receipt } as Partial<SendNode> as SendNode;
}

test("a transaction that reverts after a reorganisation stays out of the sums, at each recheck and once it is final", async () => {
  const ledger = createLedger();
  ledger.add(mined(true, 10n), EFFECTS);
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3, costWei: 5n });
  const reverted = nodeWith(mined(false, 11n));
  expect(await ledger.recheck(reverted, { timestamp: 100, finalized: 9n })).toEqual([HASH]);
  expect(ledger.totals().settled).toBe(0);
  expect(await ledger.recheck(reverted, { timestamp: 101, finalized: 9n })).toEqual([]);
  expect(ledger.totals().settled).toBe(0);
  await ledger.recheck(reverted, { timestamp: 102, finalized: 20n });
  expect(ledger.totals()).toMatchObject({ settled: 0, payments: 0 });
});

test("a transaction that is mined again as before counts again", async () => {
  const ledger = createLedger();
  ledger.add(mined(true, 10n), EFFECTS);
  expect(await ledger.recheck(nodeWith(null), { timestamp: 100, finalized: 9n })).toEqual([HASH]);
  await ledger.recheck(nodeWith(mined(true, 12n)), { timestamp: 101, finalized: 20n });
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3, costWei: 5n });
});

test("a transaction whose reverted receipt can still be reorganised is not given up", async () => {
  const ledger = createLedger();
  ledger.add(mined(true, 10n), EFFECTS);
  await ledger.recheck(nodeWith(mined(false, 15n)), { timestamp: 100, finalized: 12n });
  expect(ledger.totals().settled).toBe(0);
  await ledger.recheck(nodeWith(mined(true, 16n)), { timestamp: 101, finalized: 13n });
  expect(ledger.totals()).toMatchObject({ settled: 1, payments: 3 });
});
