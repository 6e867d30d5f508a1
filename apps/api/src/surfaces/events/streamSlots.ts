import { ServiceError } from "@dueday/core/errors";
import type { Caller } from "../../identity/clientIdentity";
import { eventStreams } from "../../limits/policy";

/** Counts the open streams of each client. */
export type StreamSlots = {
  /**
   * Takes a slot.
   *
   * @returns a function that gives the slot back; further calls do nothing
   * @throws ServiceError RATE_LIMITED where the open streams have reached the limit of the client's lane, of its address, or of this
   * process
   */
  take(caller: Caller): () => void;
  /** Streams that are open. */
  open(): number;
};

/** Streams that may be open from an address, without those of keys that the admin created, and over all clients of this process. */
export type StreamLimits = { mostOfAddress: number; mostOfProcess: number };

const RETRY_AFTER_SECONDS = 15;

export function createStreamSlots({ mostOfAddress, mostOfProcess }: StreamLimits = eventStreams): StreamSlots {
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
    take({ lane, identities, client, trusted, hasOwnLimits = false }) {
      const address = `address:${client}`;
      const limit = eventStreams.most[lane];
      const open = Math.max(...identities.map((identity) => counts.get(identity) ?? 0));
      if (!trusted) {
        if (open >= limit) throw tooManyStreams(lane, { bucket: "eventStreams", limit, whose: WHOSE[lane] });
        if (total >= mostOfProcess) throw tooManyStreams(lane, { ...OF_PROCESS, limit: mostOfProcess });
        if (!hasOwnLimits && (counts.get(address) ?? 0) >= mostOfAddress)
          throw tooManyStreams(lane, { ...OF_ADDRESS, limit: mostOfAddress });
      }
      const holders = hasOwnLimits ? identities : [...identities, address];
      add(holders, 1);
      let isHeld = true;
      return () => {
        if (isHeld) add(holders, -1);
        isHeld = false;
      };
    },
    open: () => total,
  };
}

const WHOSE: Record<Caller["lane"], string> = {
  free: "your address",
  developer: "this developer key or portal session",
};
const OF_ADDRESS = { bucket: "eventStreamsOfAddress", whose: "your address, with all its keys and sessions" };
const OF_PROCESS = { bucket: "eventStreamsOfService", whose: "all clients of this process" };

type StreamLimit = { bucket: string; limit: number; whose: string };

function tooManyStreams(lane: Caller["lane"], { bucket, limit, whose }: StreamLimit): ServiceError {
  const message = `${bucket} allows ${limit} open streams for ${whose}: close one, or try again in ${RETRY_AFTER_SECONDS} s`;
  return new ServiceError("RATE_LIMITED", message, {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    body: { lane, upgradeHint: "Share one stream: it can be filtered by the reader", bucket, limit },
    retryable: true,
  });
}
