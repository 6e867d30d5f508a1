import { decodeProtocolEvent, isBrokenProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { type Address, type Hex, numberToHex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import { parseBlock } from "../../block/parseBlock";
import type { ChainClient } from "../../client/createChainClient";
import { isBytes, isWord } from "../../client/fitsMethod";
import { parseQuantity } from "../../client/parseQuantity";
import { isRecord } from "../../client/parseRpcAnswer";
import { RpcRefusal } from "../../client/rpcOutcome";

/** What has changed between two blocks, by the contract's logs. */
export type Changes = {
  /** Ids whose record, set, list or fee balances may have changed. */
  ids: Set<Hex>;
  /** Of these, the ids with a new subscriber: they may have entered a due list. */
  subscribed: Set<Hex>;
  /** Days that a remit() settled: it may have removed ids from their due lists. */
  days: Set<number>;
};

/** Beyond this, in seconds, everything is read again: providers limit the range of one eth_getLogs. */
const LONGEST_STRETCH_SECONDS = 900n;

/**
 * The changes between `since` and `block`, from the contract's logs; `block` may be the earlier one. Null where they are unknown: the
 * chain was reorganised, there is too much time between them, or the node refuses.
 */
export async function readChangesSince(
  client: ChainClient,
  { contract, since, block }: { contract: Address; since: ChainBlock; block: ChainBlock },
): Promise<Changes | null> {
  const changes: Changes = { ids: new Set(), subscribed: new Set(), days: new Set() };
  if (since.hash === block.hash) return changes;
  const [earlier, later] = since.number < block.number ? [since, block] : [block, since];
  if (later.number === earlier.number || later.timestamp - earlier.timestamp > LONGEST_STRETCH_SECONDS) return null;
  const fromBlock = numberToHex(earlier.number + 1n);
  const toBlock = numberToHex(later.number);
  try {
    // A known block above the node's head was replaced, or the node lags: a request for its logs would wait for that block.
    if (later === since && (await headNumber(client)) < since.number) return null;
    const [logs, ...ends] = await Promise.all([
      client.rpc("eth_getLogs", [{ address: contract, fromBlock, toBlock }]),
      client.rpc("eth_getBlockByNumber", [numberToHex(earlier.number), false]),
      client.rpc("eth_getBlockByNumber", [toBlock, false]),
    ]);
    const [first, last] = ends.map((end) => parseBlock(end).hash);
    if (!Array.isArray(logs) || first !== earlier.hash || last !== later.hash) return null;
    const reader = { contract, earlier, later, before: [earlier.number, -1n] as [bigint, bigint] };
    return logs.every((log) => addLog(changes, log, reader)) ? changes : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

async function headNumber(client: ChainClient): Promise<bigint> {
  return parseQuantity(await client.rpc("eth_blockNumber", [])) ?? 0n;
}

type Reader = {
  contract: Address;
  earlier: ChainBlock;
  later: ChainBlock;
  /** Block number and index of the last log: those of each next log have to be higher. */
  before: [bigint, bigint];
};

/** False where `log` is malformed, is not one of the contract in these blocks, or is there twice. */
function addLog({ ids, subscribed, days }: Changes, log: unknown, reader: Reader): boolean {
  if (!isRecord(log) || !isBytes(log.data) || !Array.isArray(log.topics) || !log.topics.every(isWord)) return false;
  const { contract, earlier, later, before } = reader;
  const [number, place] = [parseQuantity(log.blockNumber), parseQuantity(log.logIndex)];
  if (typeof log.address !== "string" || log.address.toLowerCase() !== contract.toLowerCase()) return false;
  if (number === null || place === null || number <= earlier.number || number > later.number) return false;
  if (log.removed === true || number < before[0] || (number === before[0] && place <= before[1])) return false;
  reader.before = [number, place];
  const { topics, data } = log;
  if (isBrokenProtocolEvent({ topics, data })) return false;
  const event = decodeProtocolEvent({ topics, data });
  if (event?.event === "CallerLog") days.add(event.checkedDay);
  if (event?.event === "SubLog" || event?.event === "Coordinates" || event?.event === "UList") {
    ids.add(event.id);
  }
  if (event?.event === "SubLog" && event.code === subLogCode.Subscribed) {
    subscribed.add(event.id);
  }
  return true;
}
