import { type ClockBound, createBlockJudge } from "@dueday/chain/block/createBlockJudge";
import { type Header, parseHeader } from "@dueday/chain/block/parseHeader";
import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { Logger } from "@dueday/config/createLogger";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import type { IndexedLog } from "@dueday/db/index/indexedLog";
import type { Address } from "viem";
import { decodeAll } from "../indexer/fetchLogs";

export type ListenHeadsOptions = {
  url: string;
  chainId: number;
  contract: Address;
  logger: Logger;
  clockBound?: ClockBound | undefined;
  /** Whether new heads are subscribed to, beside the logs of the contract. */
  heads: boolean;
  onHead(head: Header): void;
  onLogs(logs: readonly IndexedLog[]): void;
  /** The subscriptions began (true), or the connection was lost (false). */
  onLive(isLive: boolean): void;
};

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** A connection that does not answer the subscriptions in this time is given up. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Characters of one message: a header has some 2,000, a log of the protocol at most what its texts have. */
const LONGEST_MESSAGE = 4_000_000;

/** Request ids, in the order in which they are sent. */
const [CHAIN_ID, LOGS, HEADS] = [1, 2, 3];

/**
 * Subscribes to the logs of the contract, and to new heads, over a WebSocket until `stop()`; connects again with growing pauses. The
 * URL is never logged. What the node sends is checked like its answers over HTTP: chain, form, size and the time of blocks.
 */
export function listenHeads(options: ListenHeadsOptions): { restart(): void; stop(): Promise<void> } {
  const { url, chainId, contract, logger } = options;
  const isPossible = createBlockJudge(options.clockBound);
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;
  let close = () => {};

  /** Resolves when the connection has ended: to whether it was live. */
  async function connect(): Promise<boolean> {
    const ended = Promise.withResolvers<void>();
    const socket = new WebSocket(url);
    const wanted = new Set(options.heads ? [CHAIN_ID, LOGS, HEADS] : [CHAIN_ID, LOGS]);
    const kinds = new Map<unknown, "logs" | "heads">();
    let wasLive = false;
    close = () => {
      ended.resolve();
      socket.close();
    };
    const timer = setTimeout(() => !wasLive && close(), ANSWER_TIMEOUT_MS);

    function send(id: number, method: string, params: unknown[]): void {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    }

    function answer({ id, result }: Record<string, unknown>): void {
      if (id === CHAIN_ID && Number(result) !== chainId) throw new Error("the node serves another chain");
      if (id === LOGS || id === HEADS) {
        if (typeof result !== "string") throw new Error("the node refuses a subscription");
        kinds.set(result, id === LOGS ? "logs" : "heads");
      }
      if (!wanted.delete(Number(id)) || wanted.size > 0) return;
      wasLive = true;
      options.onLive(true);
    }

    function receive(text: unknown): void {
      if (typeof text !== "string" || text.length > LONGEST_MESSAGE) throw new Error("the node sent too much");
      const message: unknown = JSON.parse(text);
      if (!isRecord(message)) throw new Error("the node sent no object");
      if (message.method !== "eth_subscription") answer(message);
      if (!isRecord(message.params)) return;
      const { subscription, result } = message.params;
      const kind = kinds.get(subscription);
      if (kind === "heads" && isPossible({ method: "eth_getBlockByNumber", params: [] }, result)) {
        options.onHead(parseHeader(result));
      }
      // A removed log is of a block that was replaced: the new heads show that.
      if (kind === "logs" && isRecord(result) && result.removed !== true) {
        options.onLogs(decodeAll({ chain: { contract }, logger }, [result]));
      }
    }

    socket.onopen = () => {
      send(CHAIN_ID, "eth_chainId", []);
      send(LOGS, "eth_subscribe", ["logs", { address: contract, topics: [protocolEventTopics] }]);
      if (options.heads) send(HEADS, "eth_subscribe", ["newHeads"]);
    };
    socket.onmessage = ({ data }) => {
      try {
        receive(data);
      } catch (error) {
        logger.warn({ err: error }, "the node's WebSocket sent something unexpected; connecting again");
        close();
      }
    };
    socket.onclose = () => ended.resolve();
    socket.onerror = () => ended.resolve();
    await Promise.race([ended.promise, stopped.promise]);
    clearTimeout(timer);
    socket.onmessage = null;
    socket.close();
    if (wasLive) options.onLive(false);
    return wasLive;
  }

  async function listen(): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      const wasLive = await connect().catch(() => false);
      if (isStopped) return;
      failures = wasLive ? 0 : failures + 1;
      if (failures <= 1) logger.warn("the node's WebSocket is not connected; polling meanwhile");
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  }

  const listening = listen();
  return {
    /** Gives up the present connection, whose messages do not arrive, and connects again. */
    restart: () => close(),
    async stop() {
      isStopped = true;
      stopped.resolve();
      await listening;
    },
  };
}
