import { expect, test } from "bun:test";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { simulateRepeatedly } from "./simulateRepeatedly";

const NEEDED = 1_000n;
const limits = { gasLimits: [1_200n, 1_200n, 1_200n, 1_200n], largest: 10_000n };

/** A node on which each call needs `NEEDED` gas, and the one at `failsAt` fails with any gas. */
function node({ most = Number.POSITIVE_INFINITY, failsAt = -1, largest = limits.largest } = {}) {
  const requests: (readonly bigint[])[] = [];
  const simulate = async (gasLimits: readonly bigint[]): Promise<SimulatedCall[]> => {
    requests.push(gasLimits);
    if (gasLimits.length > most || gasLimits.some((gas) => gas > largest)) {
      throw new RpcRefusal(-38_015, "block gas limit reached", undefined);
    }
    return gasLimits.map((gas, index) => {
      const success = gas >= NEEDED && index !== failsAt;
      return { success, gasUsed: success ? NEEDED : gas, logs: [], returnData: "0x", outOfGas: gas < NEEDED };
    });
  };
  return { simulate, requests };
}

async function lengthAndEnd(given: Parameters<typeof node>[0], gasLimits = limits.gasLimits) {
  const { calls, end } = await simulateRepeatedly(node(given).simulate, { ...limits, gasLimits });
  return [calls.length, end];
}

test("a request that a node refuses is repeated with half of the calls, down to one", async () => {
  const { simulate, requests } = node({ most: 1 });
  expect(await simulateRepeatedly(simulate, limits)).toMatchObject({ calls: [{ success: true }], end: "limit" });
  expect(requests.map(({ length }) => length)).toEqual([4, 2, 1]);
  expect(simulateRepeatedly(node({ most: 0 }).simulate, limits)).rejects.toBeInstanceOf(RpcRefusal);
});

test("a call that fails gets the most gas that a transaction may have before its failure counts", async () => {
  expect(await lengthAndEnd({}, [1_200n, 500n])).toEqual([2, "all"]);
  expect(await lengthAndEnd({}, [1_200n, 500n, 1_200n])).toEqual([2, "limit"]);
  expect(await lengthAndEnd({ failsAt: 1 })).toEqual([1, "reverts"]);
  // A balance that does not pay for so much gas: what is known so far counts.
  expect(await lengthAndEnd({ failsAt: 1, largest: 2_000n })).toEqual([1, "reverts"]);
});
