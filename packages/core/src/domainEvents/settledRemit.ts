import { getAddress, type Hex } from "viem";
import { tokenAmount } from "../amounts/tokenAmount";
import { DAY_SECONDS } from "../calendar/dayNumber";
import type { CallerLog } from "../events/protocolEvent";
import { subLogCode } from "../events/subLogEvents";
import type { EventData } from "./domainEvent";
import { type ChainLog, type EventBatch, receiptOf, tokenOf } from "./eventBatch";
import { keeperFees } from "./readReceipt";

/**
 * What a transaction that called remit() settled, earned and cost.
 *
 * @param logs all of its logs; `last` is the last CallerLog among them
 */
export function settledRemit(
  batch: EventBatch,
  { logs, last, transactionHash }: { logs: readonly ChainLog[]; last: CallerLog; transactionHash: Hex },
): EventData<"remit.settled"> {
  const receipt = receiptOf(batch, transactionHash);
  const calls = logs.flatMap(({ event }) => (event.event === "CallerLog" ? [event] : []));
  const handled = logs.flatMap(({ event }) => (event.event === "Coordinates" ? [event] : []));
  const failures = logs.filter(({ event }) => event.event === "SubLog" && event.code === subLogCode.Failed);
  const fees = keeperFees(receipt, { contract: batch.contract, keeper: last.caller });
  const oldestDay = Math.min(...handled.map(({ nextUncheckedDay }) => nextUncheckedDay));
  const settledDay = handled.length === 0 ? last.checkedDay : oldestDay;
  return {
    transactionHash,
    keeper: getAddress(last.caller),
    closedDays: calls.filter(({ isFinished }) => isFinished).map(({ checkedDay }) => checkedDay),
    payments: handled.length,
    failures: failures.length,
    callerFees: fees.map(({ token, units }) => tokenAmount(tokenOf(batch, token), units)),
    gasUsed: receipt.gasUsed.toString(),
    costWei: receipt.costWei.toString(),
    lagSeconds: Math.max(0, last.timestamp - settledDay * DAY_SECONDS),
  };
}
