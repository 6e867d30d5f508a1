import type { Rpc } from "@dueday/chain/client/createChainClient";
import { isWord } from "@dueday/chain/client/fitsMethod";
import { parseQuantity } from "@dueday/chain/client/parseQuantity";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import {
  decodeProtocolEvent,
  isBrokenProtocolEvent,
  protocolEventTopics,
} from "@dueday/core/events/decodeProtocolEvent";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { IndexedBlock, IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { type Address, type Hex, numberToHex } from "viem";

/** The contract whose logs are fetched, and the node they come from. */
export type LogSource = {
  chain: Pick<ChainConfig, "contract">;
  chainData: { rpc: Rpc; denseRpc?: Rpc };
  logger: Logger;
};

/**
 * The events of a range of blocks, both ends included, in order.
 *
 * @throws RpcRefusal or ServiceError; with more than one block, the range may be too wide for the node.
 */
export async function fetchRange(source: LogSource, from: number, to: number): Promise<IndexedLog[]> {
  const logs = await getLogs(source, { fromBlock: numberToHex(from), toBlock: numberToHex(to) });
  const decoded = decodeAll(source, logs);
  if (decoded.some(({ blockNumber }) => blockNumber < from || blockNumber > to)) throw malformed();
  return inOrder(decoded);
}

/**
 * The events of one block, requested by its hash: a node that has another block at this height, or none yet, fails instead of
 * returning the logs of another block.
 */
export async function fetchBlockLogs(source: LogSource, block: IndexedBlock): Promise<IndexedLog[]> {
  const decoded = decodeAll(source, await getLogs(source, { blockHash: block.hash }));
  if (decoded.some(({ blockHash, blockNumber }) => blockHash !== block.hash || blockNumber !== block.number)) {
    throw malformed();
  }
  return inOrder(decoded);
}

/** @throws ServiceError if a log occurs twice. */
function inOrder(logs: IndexedLog[]): IndexedLog[] {
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const isTwice = logs.some(({ blockNumber, logIndex }, index) => {
    const before = logs[index - 1];
    return before?.blockNumber === blockNumber && before.logIndex === logIndex;
  });
  if (isTwice) throw malformed();
  return logs;
}

/**
 * The events of one block whose logs can't be read together: one kind of event after another, and where those of one kind can't be read
 * either, with a higher bound on the size of the answer.
 *
 * @param failure Why they can't be read together.
 * @throws `failure`, where they can't be read in any way
 */
export async function fetchDenseBlock(
  source: LogSource,
  block: number | Pick<IndexedBlock, "hash">,
  failure: unknown,
): Promise<IndexedLog[]> {
  const number = typeof block === "number" ? numberToHex(block) : null;
  const filter = typeof block === "number" ? { fromBlock: number, toBlock: number } : { blockHash: block.hash };
  const { rpc, denseRpc } = source.chainData;
  const logs: IndexedLog[] = [];
  for (const topic of protocolEventTopics) {
    const ask = (by: Rpc) => getLogs({ ...source, chainData: { rpc: by } }, filter, [topic]);
    const answers = await ask(rpc)
      .catch(() => (denseRpc === undefined ? Promise.reject(failure) : ask(denseRpc)))
      .catch(() => Promise.reject(failure));
    for (const log of decodeAll(source, answers)) logs.push(log);
  }
  return inOrder(logs);
}

async function getLogs(
  { chain, chainData }: LogSource,
  blocks: Record<string, Hex | null>,
  topics: readonly Hex[] = protocolEventTopics,
): Promise<unknown[]> {
  const answer = await chainData.rpc("eth_getLogs", [{ address: chain.contract, topics: [topics], ...blocks }]);
  if (!Array.isArray(answer)) throw malformed();
  return answer;
}

/**
 * Decodes logs as a node returns or pushes them. A log of the contract without the layout of its event is skipped, and logged.
 *
 * @throws ServiceError where one of them is not a log of the contract at all.
 */
export function decodeAll({ chain, logger }: Omit<LogSource, "chainData">, answers: readonly unknown[]): IndexedLog[] {
  const parseLog = createLogParser(chain.contract);
  const logs: IndexedLog[] = [];
  for (const answer of answers) {
    const log = parseLog(answer);
    const event = decodeProtocolEvent(log);
    if (event !== null) logs.push({ ...log.place, event, data: log.data });
    else if (!log.topics.every(isWord) || isBrokenProtocolEvent(log)) throw malformed();
    else logger.warn(log.place, "a log of the contract is not one of the protocol's events; it is skipped");
  }
  return logs;
}

/**
 * Checks the shape of logs, but for the characters of topics and data, which the decoder checks. One malformed log makes the whole
 * answer malformed.
 */
function createLogParser(contract: Address) {
  const ours = contract.toLowerCase();
  // Most logs are of the same block and transaction as the one before.
  const toBlockNumber = rememberLast(toNumber);
  const toBlockHash = rememberLast(toHash);
  const toTransactionHash = rememberLast(toHash);
  return (answer: unknown) => {
    if (!isRecord(answer) || answer.removed === true) throw malformed();
    const { address, topics, data } = answer;
    if (typeof address !== "string" || address.toLowerCase() !== ours) throw malformed();
    if (!Array.isArray(topics) || !topics.every(isText) || !isText(data) || data.length % 2 === 1) throw malformed();
    const place = {
      blockNumber: toBlockNumber(answer.blockNumber),
      logIndex: toNumber(answer.logIndex),
      blockHash: toBlockHash(answer.blockHash),
      transactionHash: toTransactionHash(answer.transactionHash),
    };
    return { topics, data, place };
  };
}

/** `parse` that remembers its last result, and returns it if the next value is the same. */
function rememberLast<T>(parse: (value: unknown) => T): (value: unknown) => T {
  let last: { value: unknown; parsed: T } | null = null;
  return (value) => {
    if (last === null || last.value !== value) last = { value, parsed: parse(value) };
    return last.parsed;
  };
}

function isText(value: unknown): value is Hex {
  return typeof value === "string" && value.startsWith("0x");
}

function toHash(value: unknown): Hex {
  if (!isWord(value)) throw malformed();
  return toLowerCase(value);
}

function toNumber(value: unknown): number {
  const number = Number(parseQuantity(value) ?? Number.NaN);
  if (!Number.isSafeInteger(number)) throw malformed();
  return number;
}

function malformed() {
  return upstreamError({ kind: "malformed" }, "eth_getLogs");
}
