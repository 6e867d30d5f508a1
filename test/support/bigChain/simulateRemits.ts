import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { usedGas } from "@dueday/core/remit/gasMeter";
import { stepRemits } from "@dueday/core/remit/stepRemits";
import { WorkingState } from "@dueday/core/remit/workingState";
import { type Address, encodeErrorResult, type Hex, numberToHex } from "viem";
import type { ChainSettings } from "./chainSettings";
import type { Book } from "./createBook";
import { remitStateAt } from "./remitStateAt";
import { renderLog } from "./renderLog";

type RequestedBlock = { blockOverrides: { number: Hex; time: Hex }; calls: { from: Address; gas: Hex }[] };

const NOTHING_DUE: Hex = encodeErrorResult({
  abi: [{ type: "error", name: "Error", inputs: [{ type: "string", name: "reason" }] }],
  args: ["6"],
});
const REVERT_GAS = 30_000n;

/**
 * The result of an eth_simulateV1 all of whose calls are remit(), by the model: its events as logs, and its gas, which is the meter's. What
 * blocks a remit() does not occur in a book, so the first call that reverts has nothing to settle.
 */
export function simulateRemits(
  { book, settings, block }: { book: Book; settings: ChainSettings; block: number },
  blocks: readonly RequestedBlock[],
): object[] {
  const { contract } = settings;
  const [first] = blocks;
  const from = first?.calls[0]?.from;
  if (first === undefined || from === undefined) return [];
  const count = blocks.reduce((sum, { calls }) => sum + calls.length, 0);
  const today = dayNumber(Number(first.blockOverrides.time));
  const working = new WorkingState(remitStateAt({ book, settings, block, today, caller: from }));
  const steps = stepRemits(working, { maxCalls: count, meteredTransactions: count, withEvents: true });
  return blocks.map(({ blockOverrides: { number, time }, calls }) => ({
    number,
    timestamp: time,
    calls: calls.map(({ gas }) => {
      const step = steps.next();
      if (step.done === true) return reverted(step.value?.end ?? "caught_up");
      const { meter, events } = step.value;
      const gasUsed = meter === null ? 0n : usedGas(meter.finish());
      if (gasUsed > BigInt(gas)) throw new Error(`a call of remit() needs ${gasUsed} gas and was given ${BigInt(gas)}`);
      const logs = (events ?? []).map((event) => renderLog(event, contract, Number(time)));
      return { status: "0x1", gasUsed: numberToHex(gasUsed), returnData: "0x", logs };
    }),
  }));
}

function reverted(end: string): object {
  if (end !== "caught_up" && end !== "limit") throw new Error(`the book's calls of remit() end ${end}`);
  const error = { code: 3, message: "execution reverted: 6", data: NOTHING_DUE };
  return { status: "0x0", gasUsed: numberToHex(REVERT_GAS), returnData: NOTHING_DUE, logs: [], error };
}
