import { expect, test } from "bun:test";
import { transactionProfit } from "./transactionProfit";

const USDC = "0xusdc";
const DAI = "0xdai";
const GWEI = 10n ** 9n;
/** 0.0004 of native for one token of either. */
const prices = new Map([
  [USDC, { wei: 4n * 10n ** 14n, decimals: 6 }],
  [DAI, { wei: 4n * 10n ** 14n, decimals: 18 }],
] as const);
const base = { gasUsed: 100_000n, gasPrice: GWEI, rollupFeesWei: 0n, prices };

test("fees in tokens of different decimals add up at the caller's prices", () => {
  const callerFees = [
    { token: USDC, units: 500_000n },
    { token: DAI, units: 5n * 10n ** 17n },
  ] as const;
  expect(transactionProfit({ ...base, callerFees })).toEqual({
    feesWei: 4n * 10n ** 14n,
    costWei: 10n ** 14n,
    netWei: 3n * 10n ** 14n,
    profitable: true,
    breakEvenGasPrice: 4n * GWEI,
  });
});

test("at the break-even price a transaction is not profitable, one wei below it is", () => {
  const callerFees = [{ token: USDC, units: 500_000n }] as const;
  const { breakEvenGasPrice } = transactionProfit({ ...base, callerFees, rollupFeesWei: 10n ** 13n });
  const at = (gasPrice: bigint) => transactionProfit({ ...base, callerFees, rollupFeesWei: 10n ** 13n, gasPrice });
  expect(at(breakEvenGasPrice)).toMatchObject({ netWei: 0n, profitable: false });
  expect(at(breakEvenGasPrice - 1n)).toMatchObject({ netWei: 100_000n, profitable: true });
});

test("a token without a price counts for nothing, and an L1 fee alone can make a loss", () => {
  const callerFees = [{ token: "0xother", units: 10n ** 30n }] as const;
  expect(transactionProfit({ ...base, callerFees, gasPrice: 0n, rollupFeesWei: 7n })).toMatchObject({
    feesWei: 0n,
    netWei: -7n,
    profitable: false,
    breakEvenGasPrice: 0n,
  });
});
