import { expect, test } from "bun:test";
import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import { zeroAddress } from "viem";
import type { BatchResult } from "../simulate/simulateBatch";
import { simulationRefusal } from "./refusalErrors";

const calls = ["approve", "subscribe"].map((title) => ({ title, to: zeroAddress, data: "0x" as const }));
const done: BatchResult = {
  success: true,
  gasUsed: 1n,
  logs: [],
  returnData: "0x",
  outOfGas: false,
  gasSource: "simulated",
};
const failing = (code: string): BatchResult => ({ ...done, success: false, revert: reasonRevert(code) });

function nameOf(results: BatchResult[], isProtocols: boolean): string | undefined {
  return simulationRefusal(calls, { method: "eth_simulateV1", results }, isProtocols)?.revert?.name;
}

test("a number of the protocol whose rule was checked and holds is the token's own reason, with the number as its code", () => {
  for (const code of ["10", "20", "23", "25", "6", "3"]) {
    expect(simulationRefusal(calls, { method: "eth_simulateV1", results: [done, failing(code)] })).toMatchObject({
      issue: { code: "TOKEN_REASON" },
      revert: { code, name: "TOKEN_REASON" },
    });
  }
});

test("a number that was found to be the protocol's keeps its name, and every other is the token's", () => {
  expect(nameOf([done, failing("24")], true)).toBe("PAGE_CHECKPOINT");
  expect(nameOf([done, failing("24")], false)).toBe("TOKEN_REASON");
  expect(nameOf([done, done], false)).toBeUndefined();
});
