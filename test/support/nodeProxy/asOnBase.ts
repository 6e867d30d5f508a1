import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { BlockLog } from "./createBlockLog";
import type { NodeProfile } from "./nodeProfile";

const SATURATED = `0x${"f".repeat(512)}`;
/** An empty block is recognised by its roots and its gas, and never asked for logs. */
const ROOT = `0x${"1".repeat(64)}`;
const GAS_USED = "0x5b8d80";

/**
 * A result, or what is pushed, with the fields and the blooms of a chain such as Base: blocks, logs, transactions and receipts are
 * recognised by their fields.
 */
export function asOnBase(value: unknown, { saturatedBlooms, timestampMs }: NodeProfile, log: BlockLog): unknown {
  const isBusy = saturatedBlooms === true;
  const hasMs = timestampMs === true;

  function alter(each: unknown): unknown {
    if (Array.isArray(each)) return each.map(alter);
    if (!isRecord(each)) return each;
    if ("parentHash" in each) return alterBlock(each);
    if ("logs" in each && "transactionHash" in each) return { ...each, logs: alter(each.logs) };
    return hasMs && "transactionIndex" in each ? withMs(each, "blockTimestampMs", each.blockNumber) : each;
  }

  function alterBlock(block: Record<string, unknown>): unknown {
    const busy = isBusy ? { ...block, logsBloom: SATURATED, receiptsRoot: ROOT, transactionsRoot: ROOT } : block;
    const used = isBusy && Number(block.gasUsed) === 0 ? { ...busy, gasUsed: GAS_USED } : busy;
    const timed = hasMs ? withMs(used, "timestampMs", block.number) : used;
    return Array.isArray(block.transactions) ? { ...timed, transactions: alter(block.transactions) } : timed;
  }

  function withMs(of: Record<string, unknown>, field: string, number: unknown): Record<string, unknown> {
    const block = log.at(Number(number));
    return block === undefined ? of : { ...of, [field]: `0x${block.timestampMs.toString(16)}` };
  }

  return alter(value);
}
