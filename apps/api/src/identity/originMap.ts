import type { Origin } from "./clientAddress";

/** Values by where a request came from. */
export type OriginMap<V> = {
  get(origin: Origin): V | undefined;
  /** Keeps a value, unless there are too many already, or its origin is too long to be kept. */
  add(origin: Origin, value: V): void;
};

/** Anybody can write a long X-Forwarded-For. */
const LONGEST_KEPT = 256;

/** Those who came through a proxy are found in a map of that proxy's: no key has to be put together for a request. */
export function createOriginMap<V>(maxEntries: number): OriginMap<V> {
  const direct = new Map<string | null, V>();
  const proxies = new Map<string | null, Map<string, V>>();
  let size = 0;
  return {
    get({ peer, forwardedFor }) {
      return forwardedFor === null ? direct.get(peer) : proxies.get(peer)?.get(forwardedFor);
    },
    add({ peer, forwardedFor }, value) {
      if (size >= maxEntries || (forwardedFor?.length ?? 0) > LONGEST_KEPT) return;
      size += 1;
      if (forwardedFor === null) {
        direct.set(peer, value);
        return;
      }
      const clients = proxies.get(peer) ?? new Map<string, V>();
      proxies.set(peer, clients.set(forwardedFor, value));
    },
  };
}
