import { expect, test } from "bun:test";
import { createRpcUsage } from "./createRpcUsage";

test("usage is the average of the last five minutes, by purpose and method, the most expensive first", () => {
  let now = 0;
  const usage = createRpcUsage(() => now);
  for (; now < 600_000; now += 1_000) {
    // Older than the window: not counted.
    if (now < 200_000) usage.note({ purpose: "backfill", method: "eth_getLogs", computeUnits: 60, bytes: 5_000 });
    usage.note({ purpose: "head", method: "eth_getBlockByNumber", computeUnits: 20, bytes: 1_000 });
    if (now % 10_000 === 0) usage.note({ purpose: "scan", method: "eth_call", computeUnits: 26, bytes: 100 });
  }
  const [first, second, ...others] = usage.rows();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ purpose: "head", method: "eth_getBlockByNumber" });
  expect(first?.callsPerMinute).toBeCloseTo(60, -1);
  expect(first?.computeUnitsPerMinute).toBeCloseTo(1_200, -2);
  expect(first?.bytesPerMinute).toBeCloseTo(60_000, -4);
  expect(second).toMatchObject({ purpose: "scan", method: "eth_call" });
  expect(second?.callsPerMinute).toBeCloseTo(6, 0);
});
