import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { Logger } from "@dueday/config/createLogger";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import type { Address } from "viem";
import { decodeAll } from "../logs/fetchLogs";

export type ListenLogsOptions = {
  url: string;
  chainId: number;
  contract: Address;
  logger: Logger;
  /** Default: `KEEP_ALIVE_MS`. */
  keepAliveMs?: number;
  onLogs(logs: readonly IndexedLog[]): void;
  /** A log was removed: its block was replaced. */
  onRemoved(): void;
  /** The subscription began (true), or the connection was lost (false). */
  onLive(isLive: boolean): void;
};

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/**
 * A connection without events is silent, whether it works or not: at this interval the chain id is requested, for which Alchemy charges nothing.
 * A connection that has sent nothing by the next request is given up.
 */
export const KEEP_ALIVE_MS = 5_000;
/** The most characters of one message: the length of a log depends on the texts in it. */
const LONGEST_MESSAGE = 4_000_000;

/** Request ids. */
const [CHAIN_ID, LOGS] = [1, 2];

/**
 * Subscribes to the logs of the contract over a WebSocket until `stop()`; connects again with growing pauses. The URL is never logged. What
 * the node sends is checked like its answers over HTTP: chain, form and size.
 */
export function listenLogs(options: ListenLogsOptions): { stop(): Promise<void> } {
  const { url, chainId, contract, logger, keepAliveMs = KEEP_ALIVE_MS } = options;
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;

  /** Resolves when the connection has ended, with whether it was live. */
  async function connect(): Promise<boolean> {
    const ended = Promise.withResolvers<void>();
    const socket = new WebSocket(url);
    let subscription: string | null = null;
    let wasLive = false;
    let hasAnswered = true;

    function send(id: number, method: string, params: unknown[]): void {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    }

    function answer({ id, result }: Record<string, unknown>): void {
      if (id === CHAIN_ID && Number(result) !== chainId) throw new Error("the node serves another chain");
      if (id === CHAIN_ID && !wasLive)
        send(LOGS, "eth_subscribe", ["logs", { address: contract, topics: [protocolEventTopics] }]);
      if (id !== LOGS) return;
      if (typeof result !== "string") throw new Error("the node refuses a subscription");
      subscription = result;
      wasLive = true;
      options.onLive(true);
    }

    function notify(params: unknown): void {
      if (!isRecord(params) || params.subscription !== subscription) return;
      const { result } = params;
      if (!isRecord(result)) return;
      if (result.removed === true) options.onRemoved();
      else options.onLogs(decodeAll({ chain: { contract }, logger }, [result]));
    }

    function receive(text: unknown): void {
      if (typeof text !== "string" || text.length > LONGEST_MESSAGE)
        throw new Error("the node sent no text, or too much of it");
      const message: unknown = JSON.parse(text);
      if (!isRecord(message)) throw new Error("the node sent no object");
      if (message.method === "eth_subscription") notify(message.params);
      else answer(message);
    }

    function keepAlive(): void {
      if (!hasAnswered || !wasLive) ended.resolve();
      hasAnswered = false;
      if (socket.readyState === WebSocket.OPEN) send(CHAIN_ID, "eth_chainId", []);
    }

    const timer = setInterval(keepAlive, keepAliveMs);
    socket.onopen = () => send(CHAIN_ID, "eth_chainId", []);
    socket.onmessage = ({ data }) => {
      hasAnswered = true;
      try {
        receive(data);
      } catch (error) {
        logger.warn({ err: error }, "the node's WebSocket sent something unexpected; connecting again");
        ended.resolve();
      }
    };
    socket.onclose = () => ended.resolve();
    socket.onerror = () => ended.resolve();
    await Promise.race([ended.promise, stopped.promise]);
    clearInterval(timer);
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
      if (failures <= 1) logger.warn("the node's WebSocket is not connected; asking for logs meanwhile");
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      await Promise.race([Bun.sleep(pauseMs), stopped.promise]);
    }
  }

  const listening = listen();
  return {
    async stop() {
      isStopped = true;
      stopped.resolve();
      await listening;
    },
  };
}
