import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { BlockLog } from "./createBlockLog";
import type { NodeProfile } from "./nodeProfile";

export type Call = { id: number; method: string; params: unknown[] };
/** An answer that needs no node. */
export type Answered = { result: unknown } | { error: { code: number; message: string } };

/** Place of the block among the parameters. */
const AT_BLOCK: Record<string, number> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
};

/** The call with the numbers of the blocks that `safe` and `finalized` name, or the refusal of a node without these tags. */
export function callWithTags(
  call: Call,
  log: BlockLog,
  finality: NonNullable<NodeProfile["finality"]>,
): Call | Answered {
  const isTag = (named: unknown): named is "safe" | "finalized" => named === "safe" || named === "finalized";
  const [filter] = call.params;
  const place = AT_BLOCK[call.method];
  const named =
    call.method === "eth_getLogs" && isRecord(filter)
      ? [filter.fromBlock, filter.toBlock]
      : [place === undefined ? undefined : call.params[place]];
  const tag = named.find(isTag);
  if (tag === undefined) return call;
  if (finality === "refused") return { error: { code: -32602, message: `invalid block tag: ${tag}` } };
  const numberOf = (block: unknown) =>
    isTag(block) ? hex(log.latestOlderThan(block === "safe" ? finality.safeMs : finality.finalizedMs)) : block;
  if (place !== undefined) return { ...call, params: call.params.toSpliced(place, 1, numberOf(call.params[place])) };
  if (!isRecord(filter)) return call;
  return { ...call, params: [{ ...filter, fromBlock: numberOf(filter.fromBlock), toBlock: numberOf(filter.toBlock) }] };
}

/** The call as a node that has only the blocks up to `head` takes it: with `head` as its latest block, or an answer that needs no node. */
export function callAtHead(call: Call, log: BlockLog, head: number): Call | Answered {
  const { method, params } = call;
  const numberOf = (named: unknown): number | null => {
    if (isRecord(named)) return numberOf(named.blockHash ?? named.blockNumber);
    if (named === undefined || named === "latest" || named === "pending") return head;
    if (typeof named !== "string" || !named.startsWith("0x")) return null;
    return named.length === 66 ? (log.withHash(named)?.number ?? null) : Number(named);
  };
  if (method === "eth_blockNumber") return { result: hex(head) };
  if (method === "eth_getBlockByNumber" || method === "eth_getBlockByHash") {
    const number = numberOf(params[0]);
    if (number !== null && number > head) return { result: null };
    return params[0] === "latest" ? { ...call, params: [hex(head), ...params.slice(1)] } : call;
  }
  if (method === "eth_getLogs" && isRecord(params[0])) {
    const [filter] = params;
    if (filter.blockHash !== undefined) {
      return (numberOf(filter.blockHash) ?? 0) > head ? { error: { code: -32000, message: "unknown block" } } : call;
    }
    if (Number(filter.fromBlock) > head) return { result: [] };
    const toBlock = hex(Math.min(head, numberOf(filter.toBlock) ?? head));
    return { ...call, params: [{ ...filter, toBlock }] };
  }
  const place = AT_BLOCK[method];
  if (place === undefined) return call;
  const number = numberOf(params[place]);
  if (number !== null && number > head) return { error: { code: -32000, message: "header not found" } };
  const isLatest = params[place] === undefined || params[place] === "latest";
  return isLatest ? { ...call, params: params.toSpliced(place, 1, hex(head)) } : call;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
