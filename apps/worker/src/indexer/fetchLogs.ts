import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { decodeProtocolEvent, protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { IndexedBlock, IndexedLog } from "@dueday/db/index/indexedLog";
import { type Address, type Hex, isHex, numberToHex } from "viem";
import type { IndexContext } from "./indexContext";

/** The contract whose logs are fetched, and the node they come from. */
type LogSource = Pick<IndexContext, "chain" | "chainData" | "logger">;

/**
 * The events of final blocks, both ends included, in order.
 *
 * @throws RpcRefusal or ServiceError; with more than one block, the range may be too wide for the node.
 */
export async function fetchRange(source: LogSource, from: number, to: number): Promise<IndexedLog[]> {
  const logs = await getLogs(source, { fromBlock: numberToHex(from), toBlock: numberToHex(to) });
  const decoded = decodeAll(source, logs);
  if (decoded.some(({ blockNumber }) => blockNumber < from || blockNumber > to)) throw malformed();
  return decoded.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}

/**
 * The events of one block, requested by its hash: a node that has another block at this height, or none yet, fails instead of
 * returning the logs of another chain.
 */
export async function fetchBlockLogs(source: LogSource, block: IndexedBlock): Promise<IndexedLog[]> {
  const decoded = decodeAll(source, await getLogs(source, { blockHash: block.hash }));
  if (decoded.some(({ blockHash }) => blockHash !== block.hash)) throw malformed();
  return decoded;
}

async function getLogs({ chain, chainData }: LogSource, blocks: Record<string, Hex>): Promise<unknown[]> {
  const filter = { address: chain.contract, topics: [protocolEventTopics], ...blocks };
  const answer = await chainData.rpc("eth_getLogs", [filter]);
  if (!Array.isArray(answer)) throw malformed();
  return answer;
}

function decodeAll({ chain, logger }: LogSource, answers: readonly unknown[]): IndexedLog[] {
  const logs: IndexedLog[] = [];
  for (const answer of answers) {
    const log = parseLog(answer, chain.contract);
    const event = decodeProtocolEvent(log);
    if (event !== null) logs.push({ ...log.place, event, data: log.data });
    else logger.warn(log.place, "a log of the contract does not have the layout of its event; it is skipped");
  }
  return logs;
}

/** Checks the shape of a log. One malformed log makes the whole answer malformed. */
function parseLog(answer: unknown, contract: Address) {
  if (!isRecord(answer) || answer.removed === true) throw malformed();
  const { address, topics, data } = answer;
  if (typeof address !== "string" || address.toLowerCase() !== contract.toLowerCase()) throw malformed();
  if (!Array.isArray(topics) || !topics.every(isText) || !isText(data)) throw malformed();
  const place = {
    blockNumber: toNumber(answer.blockNumber),
    logIndex: toNumber(answer.logIndex),
    blockHash: toHash(answer.blockHash),
    transactionHash: toHash(answer.transactionHash),
  };
  return { topics, data, place };
}

/** Checks the prefix only; the decoder checks the characters. */
function isText(value: unknown): value is Hex {
  return typeof value === "string" && value.startsWith("0x");
}

function toHash(value: unknown): Hex {
  if (!isHex(value) || value.length !== 66) throw malformed();
  return toLowerCase(value);
}

function toNumber(value: unknown): number {
  const number = typeof value === "string" ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 0) throw malformed();
  return number;
}

function malformed() {
  return upstreamError({ kind: "malformed" }, "eth_getLogs");
}
