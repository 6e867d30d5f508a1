import { expect, test } from "bun:test";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { BaseError, RpcRequestError } from "viem";
import { classify } from "../node/eachNode";
import type { Broadcast } from "../node/keeperNode";
import {
  type Attempt,
  afterBroadcast,
  feesToTry,
  nextStep,
  noteSeen,
  RECEIPT_GRACE_MS,
  startSending,
} from "./sendStep";

const rules = { replaceAfterMs: 30_000, giveUpAfterMs: 180_000 };
const nothing = { mined: 5, pending: 5, receipt: null };
const attempt: Attempt = {
  hash: "0x1",
  signed: "0x1",
  gas: 100_000n,
  permit: null,
  basis: { block: 0n, openDay: 0 },
  fees: { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n },
};

function after(result: Broadcast, state = startSending(5, 0)) {
  const next = afterBroadcast(state, { attempt, result, now: 1_000, rules });
  if (typeof next === "string") throw new Error(next);
  return next;
}

test("what was sent waits to be mined, is replaced after the time, and ends with its receipt", () => {
  const sent = after("accepted");
  expect(nextStep(sent, nothing, 30_999, rules)).toEqual({ do: "wait" });
  expect(nextStep(sent, nothing, 31_000, rules)).toEqual({ do: "broadcast" });
  expect(nextStep(sent, nothing, 180_000, rules)).toEqual({ do: "end", why: "not_mined" });
});

test("a nonce that is used without a receipt gets five seconds for the receipt to appear", () => {
  const gone = noteSeen(after("accepted"), { ...nothing, mined: 6 }, 2_000, rules);
  expect(nextStep(gone, nothing, 2_000 + RECEIPT_GRACE_MS - 1, rules)).toEqual({ do: "wait" });
  expect(nextStep(gone, nothing, 2_000 + RECEIPT_GRACE_MS, rules)).toEqual({ do: "end", why: "nonce_used" });
  // A node that lags behind the one asked before changes its mind.
  expect(noteSeen(gone, nothing, 3_000, rules).goneSince).toBeNull();
});

test("a transaction of unknown fees on the nonce gets its time before it is replaced", () => {
  const held = noteSeen(startSending(5, 0), { ...nothing, pending: 6 }, 0, rules);
  expect(held.isHeld).toBe(true);
  expect(nextStep(held, nothing, 29_999, rules)).toEqual({ do: "wait" });
  const underpriced = after("underpriced");
  expect(underpriced).toMatchObject({ isHeld: true, nextAt: 31_000 });
  expect(after("underpriced", underpriced).nextAt).toBe(2_000);
});

test("every refusal is followed by a pause of a second at least, and too many end the attempt", () => {
  for (const result of ["nonce_too_low", "refused", "underpriced", "unreachable"] as const) {
    expect(after(result).nextAt).toBeGreaterThanOrEqual(2_000);
  }
  const twice = after("refused", after("refused"));
  expect(afterBroadcast(twice, { attempt, result: "refused", now: 0, rules })).toBe("refused");
  expect(afterBroadcast(startSending(5, 0), { attempt, result: "insufficient_funds", now: 0, rules })).toBe(
    "insufficient_funds",
  );
});

test("a replacement raises both fees by an eighth at least, follows the market above that, and never passes the cap", () => {
  const wei = fc.bigInt(0n, 10n ** 12n);
  fc.assert(
    fc.property(wei, wei, wei, wei, wei, (fee, tip, marketFee, marketTip, capPerGas) => {
      const floor = { maxFeePerGas: fee + tip, maxPriorityFeePerGas: tip };
      const market = { maxFeePerGas: marketFee + marketTip, maxPriorityFeePerGas: marketTip };
      const tried = feesToTry({ floor }, { fees: market, capPerGas });
      if (tried === null) {
        const needed =
          (fee + tip) * 9n > marketFee * 8n + marketTip * 8n ? ((fee + tip) * 9n + 7n) / 8n : marketFee + marketTip;
        expect(needed + 1n).toBeGreaterThan(capPerGas);
        return;
      }
      expect(tried.maxFeePerGas).toBeLessThanOrEqual(capPerGas);
      expect(tried.maxFeePerGas * 8n).toBeGreaterThanOrEqual(floor.maxFeePerGas * 9n);
      expect(tried.maxFeePerGas).toBeGreaterThanOrEqual(market.maxFeePerGas);
      expect(tried.maxPriorityFeePerGas).toBeLessThanOrEqual(tried.maxFeePerGas);
      expect(tried.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(floor.maxPriorityFeePerGas * 9n);
    }),
    { numRuns: 1_000 * testDepth },
  );
});

test.each<[string, Broadcast]>([
  ["already known", "known"],
  ["AlreadyKnown: transaction already imported", "known"],
  ["nonce too low: next nonce 6, tx nonce 5", "nonce_too_low"],
  ["replacement transaction underpriced", "underpriced"],
  ["max fee per gas less than block base fee", "underpriced"],
  ["insufficient funds for gas * price + value: balance 0", "insufficient_funds"],
  ["the sky is falling", "refused"],
])("a node that answers %p means %s", (message, expected) => {
  const error = new RpcRequestError({ body: {}, url: "rpc", error: { code: -32000, message } });
  expect(classify(new BaseError("failed", { cause: error }))).toBe(expected);
});

test("a node that does not answer may have taken the transaction", () => {
  expect(classify(new BaseError("timeout"))).toBe("unreachable");
  expect(classify(new TypeError("fetch failed"))).toBe("unreachable");
});
