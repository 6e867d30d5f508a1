import { type Address, BaseError, createClient, type Hex, http, RpcRequestError } from "viem";
import { getTransactionCount, sendRawTransaction } from "viem/actions";
import type { Broadcast } from "./keeperNode";

const DEADLINE_MS = 10_000;
/** The longest text of a node that is read. */
const LONGEST_MESSAGE = 500;

/** What a refusal of a transaction means, by the texts that nodes use. */
const answers: readonly [RegExp, Broadcast][] = [
  [/already known|already imported|known transaction|already exists|already in (?:the )?mempool/i, "known"],
  [/nonce (?:is )?too low|old nonce|nonce has already been used/i, "nonce_too_low"],
  [/underpriced|replacement|fee too low|less than block base fee|below base ?fee/i, "underpriced"],
  [/insufficient (?:funds|balance)|doesn't have enough funds/i, "insufficient_funds"],
];

/** If nodes answer differently, the first of these answers decides what to do next. */
const order: readonly Broadcast[] = [
  ...(["accepted", "known", "nonce_too_low", "insufficient_funds", "underpriced"] as const),
  // A node that did not answer may have accepted the transaction.
  ...(["unreachable", "refused"] as const),
];

export type EachNode = {
  /** Sends a signed transaction to all nodes at once. Resolves as soon as one node has it, or when all have answered. Never rejects. */
  broadcast(signed: Hex): Promise<Broadcast>;
  /** Whether every node that answers has seen a transaction of the sender with this nonce mined; false where none answers. */
  haveMined(sender: Address, nonce: number): Promise<boolean>;
};

/** Asks each node separately, where the answer of one is not enough. */
export function eachNode(rpcUrls: readonly string[]): EachNode {
  const clients = rpcUrls.map((url) => createClient({ transport: http(url, { retryCount: 0, timeout: DEADLINE_MS }) }));
  return {
    async broadcast(serializedTransaction) {
      const sends = clients.map((client) =>
        sendRawTransaction(client, { serializedTransaction }).then(() => "accepted" as const, classify),
      );
      const all = Promise.all(sends).then((results) => order.find((each) => results.includes(each)) ?? "unreachable");
      return Promise.race(sends.map((send) => receivedOr(send, all)));
    },
    async haveMined(address, nonce) {
      const counts = await Promise.all(
        clients.map((client) => getTransactionCount(client, { address, blockTag: "latest" }).catch(() => null)),
      );
      const known = counts.filter((count) => count !== null);
      return known.length > 0 && known.every((count) => count > nonce);
    },
  };
}

/** The answer of this node where it has the transaction; for any other answer, the answer of all nodes. */
async function receivedOr(send: Promise<Broadcast>, all: Promise<Broadcast>): Promise<Broadcast> {
  const answer = await send;
  return answer === "accepted" || answer === "known" ? answer : all;
}

/** What an error of `eth_sendRawTransaction` means. */
export function classify(error: unknown): Broadcast {
  const refusal = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
  if (!(refusal instanceof RpcRequestError)) return "unreachable";
  const message = refusal.details.slice(0, LONGEST_MESSAGE);
  return answers.find(([pattern]) => pattern.test(message))?.[1] ?? "refused";
}
