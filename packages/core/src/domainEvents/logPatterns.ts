import type { Hex } from "viem";
import type { Frequency } from "../calendar/frequency";
import type { CallerLog, CoordinatesLog, SubLog } from "../events/protocolEvent";
import { subLogCode } from "../events/subLogEvents";
import { FILL_PARTS } from "../remit/chargeTerms";
import type { UnsubscribeReason } from "./domainEvent";
import type { ChainLog } from "./eventBatch";

/** A decoded log, wherever it was read. */
type Decoded = Pick<ChainLog, "event">;

/** The logs of each transaction, in the order of the chain. */
export function logsByTransaction<T extends ChainLog>(logs: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  let last: T[] = [];
  for (const log of logs) {
    // Most logs belong to the transaction of the log before: for these the long key is not built.
    if (last[0]?.transactionHash !== log.transactionHash || last[0].blockHash !== log.blockHash) {
      const key = `${log.blockHash} ${log.transactionHash}`;
      last = groups.get(key) ?? [];
      groups.set(key, last);
    }
    last.push(log);
  }
  return [...groups.values()];
}

/** The SubLog at an index of a transaction's logs; null unless it has this subscription, subscriber and code. */
export function subLogAt(
  logs: readonly Decoded[],
  index: number,
  { id, subscriber, code }: Pick<SubLog, "id" | "subscriber" | "code">,
): SubLog | null {
  const event = logs[index]?.event;
  const isIt = event?.event === "SubLog" && event.code === code && event.id === id && event.subscriber === subscriber;
  return isIt ? event : null;
}

/** The Coordinates log at an index; null unless it has this subscription. It precedes a paid charge and follows a failed one. */
export function coordinatesAt(logs: readonly Decoded[], index: number, id: Hex): CoordinatesLog | null {
  const event = logs[index]?.event;
  return event?.event === "Coordinates" && event.id === id ? event : null;
}

/** The CallerLog of the remit() that the log at `index` belongs to: the next one, because each page and each day ends with a CallerLog. */
export function callerLogAfter(logs: readonly Decoded[], index: number): CallerLog | null {
  for (const { event } of logs.slice(index)) if (event.event === "CallerLog") return event;
  return null;
}

/** Whether the log at `index` is the last CallerLog of its transaction. */
export function isLastCallerLog(logs: readonly Decoded[], index: number): boolean {
  return logs.findLastIndex(({ event }) => event.event === "CallerLog") === index;
}

/**
 * Why a subscriber left, by the log after its UNSUBSCRIBED: FAILED for a failed charge, PROVREFUND for a subscriber that
 * unsubscribed, SUBREFUND for the clean-up of a cancelled subscription, none of these for a removal by the provider.
 */
export function leavingReason(logs: readonly Decoded[], index: number, event: SubLog): UnsubscribeReason {
  const isNext = (code: number) => subLogAt(logs, index + 1, { ...event, code }) !== null;
  if (isNext(subLogCode.Failed)) return "failure";
  return isNext(subLogCode.ProviderRefund) ? "subscriber" : "provider";
}

/** A charge of one subscriber as the chain logs it: at a first payment or in remit(). Amounts have 18 decimals. */
export type LoggedCharge = {
  kind: "initial" | "recurring";
  /** Index of the log that the charge is counted at. */
  index: number;
  toProvider: bigint;
  toFeeBalance: bigint;
  /** Index of its last log. */
  end: number;
};

/**
 * The charge whose first log (SUBSCRIBED, SUBPAID or FEEFILL) is at `index`; null where no charge begins there. The FEEFILL of remit()
 * logs the whole amount, and the frequency decides which part of it goes to the fee balance: without a frequency the result is null.
 */
export function chargeAt(
  logs: readonly Decoded[],
  index: number,
  { event, frequency }: { event: SubLog; frequency: Frequency | null },
): LoggedCharge | null {
  const codeAt = (at: number, code: number) => subLogAt(logs, at, { ...event, code });
  switch (event.code) {
    case subLogCode.Subscribed: {
      const fill = codeAt(index + 1, subLogCode.FeeFill);
      if (fill === null) return null;
      const rest = codeAt(index + 2, subLogCode.ProviderPaid);
      const end = rest === null ? index + 1 : index + 2;
      return { kind: "initial", index: index + 1, toProvider: rest?.amount ?? 0n, toFeeBalance: fill.amount, end };
    }
    case subLogCode.SubscriberPaid: {
      const end = codeAt(index + 1, subLogCode.ProviderPaid) === null ? index : index + 1;
      return { kind: "recurring", index, toProvider: event.amount, toFeeBalance: 0n, end };
    }
    case subLogCode.FeeFill: {
      if (frequency === null) return null;
      const rest = codeAt(index + 1, subLogCode.ProviderPaid);
      const end = rest === null ? index : index + 1;
      const toFeeBalance = event.amount / FILL_PARTS[frequency];
      return { kind: "recurring", index, toProvider: rest?.amount ?? 0n, toFeeBalance, end };
    }
    default:
      return null;
  }
}
