import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { expectProtocolEvents } from "@dueday/chain/events/presentEvents";
import { readReceiptFacts } from "@dueday/chain/transactions/readReceiptFacts";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { ReceiptFacts } from "@dueday/core/domainEvents/eventBatch";
import { receiptsNeeded } from "@dueday/core/domainEvents/readReceipt";
import type { Finality } from "@dueday/core/finality";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import type { EventFacts } from "@dueday/db/outbox/recordLogEvents";
import type { Hex } from "viem";
import type { IndexContext } from "./indexContext";

/** Receipts requested in one tick. */
const RECEIPTS_AT_ONCE = 50;

export type EventSource = { logs: readonly IndexedLog[]; stateBlock: ChainBlock; finality: Finality | null };

/**
 * What the events of logs, and the money that they move, need besides the logs: the receipts of transactions that the protocol's logs
 * do not describe in full. Logs older than the retention at `stateBlock` give no events.
 */
export async function readEventFacts(
  context: IndexContext,
  { logs, stateBlock, finality }: EventSource,
): Promise<EventFacts> {
  const { clock, eventsRetentionDays } = context;
  const since = Number(stateBlock.timestamp) - eventsRetentionDays * DAY_SECONDS;
  const receipts = await readReceipts(context, receiptsNeeded(logs));
  return { receipts, since, finality, now: new Date(clock()) };
}

/** The receipts of transactions, by hash. */
export async function readReceipts(
  { chain, chainData }: Pick<IndexContext, "chain" | "chainData">,
  needed: readonly Pick<IndexedLog, "transactionHash" | "blockHash">[],
): Promise<Map<Hex, ReceiptFacts>> {
  const receipts = new Map<Hex, ReceiptFacts>();
  for (let start = 0; start < needed.length; start += RECEIPTS_AT_ONCE) {
    const some = needed.slice(start, start + RECEIPTS_AT_ONCE);
    const found = await Promise.all(some.map((log) => readReceiptFacts(chainData.rpc, log)));
    for (const [index, { transactionHash }] of some.entries()) {
      const receipt = found[index];
      if (receipt === undefined) continue;
      expectProtocolEvents(receipt.logs, chain.contract, "eth_getTransactionReceipt");
      receipts.set(transactionHash, receipt);
    }
  }
  return receipts;
}
