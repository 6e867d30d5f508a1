import type { Hex } from "viem";
import { decodeProtocolEvent } from "../events/decodeProtocolEvent";
import { decodeTokenEvent } from "../events/decodeTokenEvent";
import type { SubLog } from "../events/protocolEvent";
import { subLogCode } from "../events/subLogEvents";
import type { ChainLog, ReceiptFacts } from "./eventBatch";
import { leavingReason, logsByTransaction } from "./logPatterns";

/**
 * The transactions whose receipts have facts that no log of the protocol has: the fees and gas of a remit(), and the
 * refund of a subscriber that its provider or the janitor removed.
 */
export function receiptsNeeded(logs: readonly ChainLog[]): Pick<ChainLog, "transactionHash" | "blockHash">[] {
  return logsByTransaction(logs).flatMap((ofTransaction) => {
    const isNeeded = ofTransaction.some(
      ({ event }, index) =>
        event.event === "CallerLog" || (event.event === "SubLog" && isRemoval(ofTransaction, index, event)),
    );
    return isNeeded ? ofTransaction.slice(0, 1) : [];
  });
}

function isRemoval(logs: readonly Pick<ChainLog, "event">[], index: number, event: SubLog): boolean {
  return event.code === subLogCode.Unsubscribed && leavingReason(logs, index, event) === "provider";
}

/** The facts of a receipt that the contract's logs do not have: gas, cost, and transfers of the contract. */
export type ReceiptRecord = {
  gasUsed: bigint;
  costWei: bigint;
  /** What the caller of remit() received, token units by lower-case token. */
  keeperFees: { token: Hex; units: bigint }[];
  /** Token units paid back to removed subscribers, by the position of their UNSUBSCRIBED within the block. */
  removalRefunds: { logIndex: number; units: bigint }[];
};

/** Reads the record of a receipt, from its logs of the contract and of tokens. `contract` is lower case. */
export function readReceiptRecord(receipt: ReceiptFacts, contract: Hex): ReceiptRecord {
  const logs = receipt.logs.flatMap((log) => {
    const event = log.address.toLowerCase() === contract ? decodeProtocolEvent(log) : null;
    return event === null ? [] : [{ event, logIndex: log.logIndex }];
  });
  const call = logs.findLast(({ event }) => event.event === "CallerLog")?.event;
  return {
    gasUsed: receipt.gasUsed,
    costWei: receipt.costWei,
    keeperFees: call?.event === "CallerLog" ? keeperFees(receipt, { contract, keeper: call.caller }) : [],
    removalRefunds: logs.flatMap(({ event, logIndex }, index) =>
      event.event === "SubLog" && isRemoval(logs, index, event)
        ? [{ logIndex, units: refundOfRemoval(receipt, { contract, event, logIndex }) }]
        : [],
    ),
  };
}

/**
 * Token units that the contract paid back to a removed subscriber: those of its first Transfer of the token after
 * UNSUBSCRIBED, or 0 where that goes to another account.
 */
export function refundOfRemoval(
  receipt: ReceiptFacts,
  { contract, event, logIndex }: { contract: Hex; event: SubLog; logIndex: number },
): bigint {
  for (const log of receipt.logs) {
    if (log.logIndex <= logIndex || log.address.toLowerCase() !== event.token) continue;
    const transfer = decodeTokenEvent(log);
    if (transfer?.event !== "Transfer" || transfer.from !== contract) continue;
    return transfer.to === event.subscriber ? transfer.value : 0n;
  }
  return 0n;
}

/**
 * What the contract paid to the caller of remit(), token units by lower-case token, in the order of the first payout. A
 * Transfer right after a SubLog is a refund, even if the keeper is the provider that receives it. Only tokens that the
 * contract's logs name count, because the caller may be a contract that emits any log.
 */
export function keeperFees(
  receipt: ReceiptFacts,
  { contract, keeper }: { contract: Hex; keeper: Hex },
): { token: Hex; units: bigint }[] {
  const fees = new Map<Hex, bigint>();
  const named = new Set<Hex>();
  let followsSubLog = false;
  for (const log of receipt.logs) {
    const address: Hex = `0x${log.address.slice(2).toLowerCase()}`;
    if (address === contract) {
      const event = decodeProtocolEvent(log);
      followsSubLog = event?.event === "SubLog";
      if (event?.event === "SubLog") named.add(event.token);
      continue;
    }
    const transfer = named.has(address) ? decodeTokenEvent(log) : null;
    if (transfer?.event !== "Transfer") continue;
    const isFee = transfer.from === contract && transfer.to === keeper && !followsSubLog;
    followsSubLog = false;
    if (isFee) fees.set(address, (fees.get(address) ?? 0n) + transfer.value);
  }
  return [...fees].map(([token, units]) => ({ token, units }));
}
