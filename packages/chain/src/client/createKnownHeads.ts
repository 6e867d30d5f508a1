import { parseQuantity } from "./parseQuantity";
import { isRecord } from "./parseRpcAnswer";
import type { RpcCall } from "./rpcOutcome";

/** Which blocks the endpoints of a chain are known to have. */
export type KnownHeads = {
  /** Learns from an answer of an endpoint. */
  note(endpoint: number, call: RpcCall, result: unknown): void;
  /** Notes a head that another source has shown. */
  noteHead(block: { number: bigint; hash: string }): void;
  /** The number of the highest block that is known; null before the first. */
  highest(): bigint | null;
  /** Whether a head is older than one seen in the last seconds, so that its node lags. Later an older head may be a reorganisation. */
  isOld(head: bigint): boolean;
  /** The number of the block that a call is pinned to; null where it is pinned to none, or to one that is not known. */
  pinnedBlock(call: RpcCall): bigint | null;
  /** Whether the endpoint has answered from this block, or a later one. */
  has(endpoint: number, block: bigint): boolean;
};

/** How long the block number of a hash is remembered: pinned reads name a recent block. */
const REMEMBERED_MS = 120_000;
/** Nodes behind a load balancer lag by some seconds. */
export const LONGEST_LAG_MS = 4_000;

/** @param clock Milliseconds, from any start; never set back. */
export function createKnownHeads(clock: () => number): KnownHeads {
  const numbers = new Map<string, { number: bigint; at: number }>();
  const heads = new Map<number, bigint>();
  let highest: bigint | null = null;
  let highestAt = clock();

  function noteHead({ number, hash }: { number: bigint; hash: string }): void {
    const at = clock();
    numbers.delete(hash);
    numbers.set(hash, { number, at });
    for (const [known, { at: notedAt }] of numbers) {
      if (at - notedAt <= REMEMBERED_MS) break;
      numbers.delete(known);
    }
    if (highest !== null && number <= highest) return;
    highest = number;
    highestAt = clock();
  }

  function raise(endpoint: number, block: bigint): void {
    if (block > (heads.get(endpoint) ?? -1n)) heads.set(endpoint, block);
  }

  function pinnedBlock({ params }: RpcCall): bigint | null {
    if (!Array.isArray(params)) return null;
    for (const parameter of params) {
      const named = isRecord(parameter) ? (parameter.blockHash ?? parameter.toBlock) : parameter;
      if (typeof named !== "string") continue;
      const known = numbers.get(named)?.number ?? (named.length < 20 ? parseQuantity(named) : null);
      if (known !== null) return known;
    }
    return null;
  }

  return {
    note(endpoint, call, result) {
      if (call.method.startsWith("eth_getBlockBy") && isRecord(result)) {
        const number = parseQuantity(result.number);
        if (number === null || typeof result.hash !== "string") return;
        noteHead({ number, hash: result.hash });
        raise(endpoint, number);
        return;
      }
      // A node may answer a range beyond its head with an empty list.
      if (call.method === "eth_getLogs") return;
      const pinned = pinnedBlock(call);
      if (pinned !== null && highest !== null && pinned <= highest) raise(endpoint, pinned);
    },
    noteHead,
    highest: () => highest,
    isOld: (head) => highest !== null && head < highest && clock() - highestAt < LONGEST_LAG_MS,
    pinnedBlock,
    has: (endpoint, block) => (heads.get(endpoint) ?? -1n) >= block,
  };
}
