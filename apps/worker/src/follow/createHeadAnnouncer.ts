import type { Header } from "@dueday/chain/block/parseHeader";
import { notifyHead } from "@dueday/db/headMessage";
import type { ChainContext } from "../context";

/** How often a head that does not change is announced again. */
const REPEAT_MS = 1_000;

/**
 * Announces heads to the API processes, so that they need not ask a node for them; null that the node failed. An announcement that
 * fails is logged once, and made up for by the next.
 */
export function createHeadAnnouncer({
  chain: { chainId, contract },
  database,
  logger,
}: Pick<ChainContext, "chain" | "database" | "logger">): (head: Header | null, validForMs: number) => void {
  let last: { hash: string | null; at: number } | null = null;
  let isFailing = false;

  async function announce(head: Header | null, validForMs: number): Promise<void> {
    try {
      await notifyHead(database, {
        chainId,
        contract,
        validForMs: Math.ceil(validForMs),
        head: head && toMessage(head),
      });
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, "the head of the chain can't be announced to the API");
      isFailing = true;
    }
  }

  return (head, validForMs) => {
    const hash = head?.hash ?? null;
    const now = performance.now();
    if (last?.hash === hash && now - last.at < REPEAT_MS) return;
    last = { hash, at: now };
    void announce(head, validForMs);
  };
}

function toMessage({ number, hash, timestamp, baseFeePerGas, gasLimit }: Header) {
  return {
    hash,
    number: String(number),
    timestamp: String(timestamp),
    baseFeePerGas: String(baseFeePerGas),
    gasLimit: String(gasLimit),
  };
}
