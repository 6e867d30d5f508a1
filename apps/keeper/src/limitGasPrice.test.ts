import { expect, test } from "bun:test";
import { type CostLimits, limitGasPrice } from "./limitGasPrice";

const limits: CostLimits = { minProfitWei: 100n, maxGasPrice: 20n, prices: ["0x:1"] };
const planned = { feesWei: "2000", rollupFeesWei: 50n };

test("a transaction is sent when its net is the least profit, and not a wei below it", () => {
  expect(limitGasPrice(limits, planned, { gasLimit: 185n, gasPrice: 10n, maxFeePerGas: 10n })).toEqual({
    maxFeePerGas: 10n,
  });
  expect(limitGasPrice(limits, planned, { gasLimit: 186n, gasPrice: 10n, maxFeePerGas: 10n })).toEqual({
    reason: expect.stringContaining("--min-profit"),
  });
});

test("gas above the highest price stops even a profitable one", () => {
  expect(limitGasPrice(limits, planned, { gasLimit: 1n, gasPrice: 20n, maxFeePerGas: 20n })).toEqual({
    maxFeePerGas: 20n,
  });
  expect(limitGasPrice(limits, planned, { gasLimit: 1n, gasPrice: 21n, maxFeePerGas: 30n })).toEqual({
    reason: expect.stringContaining("--max-gas-price"),
  });
});

test("the price that is signed keeps the limits, even where gas gets dearer after the estimate", () => {
  const dearer = { gasLimit: 100n, gasPrice: 10n, maxFeePerGas: 40n };
  expect(limitGasPrice({ ...limits, minProfitWei: null }, null, dearer)).toEqual({ maxFeePerGas: 20n });
  const signed = limitGasPrice({ ...limits, maxGasPrice: null }, planned, dearer);
  expect(signed).toEqual({ maxFeePerGas: 18n });
  expect(limitGasPrice({ ...limits, maxGasPrice: null, minProfitWei: null }, null, dearer)).toEqual({
    maxFeePerGas: 40n,
  });
});

test("a transaction without a price from the API is not sent where a profit is required", () => {
  const cheap = { gasLimit: 1n, gasPrice: 1n, maxFeePerGas: 1n };
  expect(limitGasPrice(limits, null, cheap)).toEqual({ reason: expect.stringContaining("--min-profit") });
  expect(limitGasPrice({ ...limits, minProfitWei: null }, null, cheap)).toEqual({ maxFeePerGas: 1n });
});
