import { ServiceError } from "@dueday/core/errors";
import type { Caller } from "../../identity/clientIdentity";
import { eventStreams } from "../../limits/policy";

/** Counts the open streams of each client. */
export type StreamSlots = {
  /**
   * Takes a slot.
   *
   * @returns gives it back; further calls do nothing
   * @throws ServiceError RATE_LIMITED where the client has as many open as its lane allows
   */
  take(caller: Caller): () => void;
  /** Streams that are open. */
  open(): number;
};

const RETRY_AFTER_SECONDS = 15;

export function createStreamSlots(): StreamSlots {
  const counts = new Map<string, number>();
  let total = 0;

  function add(identities: readonly string[], change: 1 | -1): void {
    total += change;
    for (const identity of identities) {
      const count = (counts.get(identity) ?? 0) + change;
      if (count === 0) counts.delete(identity);
      else counts.set(identity, count);
    }
  }

  return {
    // Around midnight an address has two identities: it holds a slot under both.
    take({ lane, identities, trusted }) {
      const limit = eventStreams.most[lane];
      const open = Math.max(...identities.map((identity) => counts.get(identity) ?? 0));
      if (open >= limit && !trusted) throw tooManyStreams(lane, limit);
      add(identities, 1);
      let isHeld = true;
      return () => {
        if (isHeld) add(identities, -1);
        isHeld = false;
      };
    },
    open: () => total,
  };
}

function tooManyStreams(lane: Caller["lane"], limit: number): ServiceError {
  const whose = lane === "free" ? "your address" : "this developer key";
  const message = `eventStreams allows ${limit} open streams for ${whose}: close one, or try again in ${RETRY_AFTER_SECONDS} s`;
  return new ServiceError("RATE_LIMITED", message, {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    body: { lane, upgradeHint: "Share one stream: it can be filtered by the reader", bucket: "eventStreams", limit },
    retryable: true,
  });
}
