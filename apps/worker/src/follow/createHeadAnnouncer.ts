import type { Header } from "@dueday/chain/block/parseHeader";
import { type HeadMessage, notifyHead } from "@dueday/db/headMessage";
import type { ChainContext } from "../context";
import { createFaultLog } from "../createFaultLog";
import type { Covered } from "../indexer/createCoverage";

/** How often a head that does not change is announced again. */
const REPEAT_MS = 1_000;
/** The index follows a head within moments: both are announced together. */
const GATHER_MS = 5;

/** Announces the head and what the index covers to the API processes, so that they need not ask a node, and nothing is written for it. */
export type HeadAnnouncer = {
  /** The head was seen; the next call follows within `validForMs`. Null: polls of the node fail; the next call comes when one succeeds. */
  announce(head: Header | null, validForMs: number): void;
  /** What the index covers has changed. */
  noteCovered(): void;
  stop(): void;
};

/** An announcement that fails is logged once and not repeated: the next one replaces it. */
export function createHeadAnnouncer(
  { chain: { chainId, contract }, database, logger }: Pick<ChainContext, "chain" | "database" | "logger">,
  covered: () => Covered | null,
): HeadAnnouncer {
  let current: { head: Header | null; validForMs: number } | null = null;
  let sent = { text: "", at: Number.NEGATIVE_INFINITY };
  let gathering: ReturnType<typeof setTimeout> | null = null;
  const texts = {
    failed: "the head of the chain can't be announced to the API",
    succeeded: "the head of the chain is announced again",
  };
  const faults = createFaultLog(logger, texts);

  function gather(): void {
    gathering ??= setTimeout(() => {
      gathering = null;
      if (current !== null) void send(current.head, current.validForMs);
    }, GATHER_MS);
  }

  async function send(head: Header | null, validForMs: number): Promise<void> {
    const content = { chainId, contract, head: head && toMessage(head), covered: covered() };
    const text = JSON.stringify(content);
    const now = performance.now();
    if (text === sent.text && now - sent.at < REPEAT_MS) return;
    sent = { text, at: now };
    try {
      await notifyHead(database, { ...content, validForMs: Math.ceil(validForMs) });
      faults.succeeded();
    } catch (error) {
      faults.failed(error);
    }
  }

  return {
    announce(head, validForMs) {
      current = { head, validForMs };
      gather();
    },
    noteCovered: gather,
    stop() {
      if (gathering !== null) clearTimeout(gathering);
    },
  };
}

function toMessage(head: Header): HeadMessage["head"] {
  const { number, hash, timestamp, timestampMs, baseFeePerGas, gasLimit } = head;
  return {
    hash,
    number: String(number),
    timestamp: String(timestamp),
    baseFeePerGas: String(baseFeePerGas),
    gasLimit: String(gasLimit),
    ...(timestampMs !== undefined && { timestampMs }),
  };
}
