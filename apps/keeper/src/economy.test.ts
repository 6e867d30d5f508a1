import { expect, test } from "bun:test";
import { type Economy, reasonNotToSend } from "./economy";

const economy: Economy = { minProfitWei: 100n, maxGasPrice: 20n, prices: ["0x:1"] };
const worth = { feesWei: "2000", l1FeeWei: 50n };

test("a transaction is sent when its net is the least profit, and not a wei below it", () => {
  expect(reasonNotToSend(economy, worth, { gas: 185n, gasPrice: 10n })).toBeNull();
  expect(reasonNotToSend(economy, worth, { gas: 186n, gasPrice: 10n })).toContain("net");
});

test("dear gas stops even a profitable one", () => {
  expect(reasonNotToSend(economy, worth, { gas: 1n, gasPrice: 20n })).toBeNull();
  expect(reasonNotToSend(economy, worth, { gas: 1n, gasPrice: 21n })).toContain("--max-gas-price");
});

test("what the API does not price is not sent where a profit is asked for", () => {
  expect(reasonNotToSend(economy, null, { gas: 1n, gasPrice: 1n })).toContain("--min-profit");
  expect(reasonNotToSend({ ...economy, minProfitWei: null }, null, { gas: 1n, gasPrice: 1n })).toBeNull();
});
