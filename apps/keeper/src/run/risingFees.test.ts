import { expect, test } from "bun:test";
import { createFakeChain } from "@dueday/keeper/test/fakeChain";
import { pagesOf } from "@dueday/keeper/test/fakeRemit";
import { account, accountsOf, startFakeKeeper, untilDone } from "@dueday/keeper/test/startFakeKeeper";
import { parseTransaction } from "viem";

const TRANSACTIONS = 100;
const FIRST_BASE_FEE = 5_000_000;
const MAX_GAS_PRICE = 50_000_000_000n;
/** Of the base fee, for each second. */
const RISE = 1.02;

test("a base fee that rises 2 % a second, with every tenth transaction left out of blocks for 40 s: all of 100 are mined, the late ones replaced within the limits", async () => {
  const pages = pagesOf(...Array<number>(TRANSACTIONS).fill(1));
  const heldSince = new Map<number, number>();
  const chain = createFakeChain({
    from: account.address,
    pages,
    baseFee: (ms) => BigInt(Math.round(FIRST_BASE_FEE * RISE ** (ms / 1000))),
    isHeldBack(nonce, ms) {
      if (!heldSince.has(nonce)) heldSince.set(nonce, ms);
      return nonce % 10 === 0 && ms - (heldSince.get(nonce) ?? ms) < 40_000;
    },
  });
  const { keep } = startFakeKeeper({
    chain,
    rules: { maxGasPrice: MAX_GAS_PRICE },
    options: { once: false, signal: untilDone(chain) },
  });
  await keep();

  expect(accountsOf(chain)).toEqual({ settled: TRANSACTIONS, reverted: 0 });
  const signed = chain.signed.map((raw) => parseTransaction(raw));
  for (const { maxFeePerGas = 0n } of signed) expect(maxFeePerGas).toBeLessThanOrEqual(MAX_GAS_PRICE);
  const replaced = signed.filter(({ nonce }, index) => signed[index - 1]?.nonce === nonce);
  expect(new Set(replaced.map(({ nonce = 0 }) => nonce % 10))).toEqual(new Set([0]));
  expect(replaced).toHaveLength(TRANSACTIONS / 10);
  // A block and a poll for each, 40 s and a poll for those that were left out.
  expect(chain.clock.elapsed()).toBeLessThan(TRANSACTIONS * 600 + (TRANSACTIONS / 10) * 45_000);
});
