import { type Address, type AddressRange, isInRange, parseAddress } from "./address";

/** Where a request came from: its peer, and what that says of those before it. */
export type Origin = {
  /** Null where the connection has no address, or is gone. */
  peer: string | null;
  /** The X-Forwarded-For header, repeated ones joined by commas. */
  forwardedFor: string | null;
};

/**
 * The client's address. X-Forwarded-For is believed only from a trusted proxy, and then read from the right, since anybody can
 * write its left part: the first address that is no trusted proxy is the client. An entry that is no address ends the reading at
 * the proxy that passed it on.
 *
 * @returns null where the peer has no address
 */
export function clientAddress({ peer, forwardedFor }: Origin, trusted: readonly AddressRange[]): Address | null {
  let client = peer === null ? null : parseAddress(peer);
  if (client === null || forwardedFor === null || trusted.length === 0) return client;
  const entries = forwardedFor.split(",");
  while (client !== null && isTrusted(client, trusted)) {
    const entry = entries.pop();
    const before: Address | null = entry === undefined ? null : parseAddress(withoutPort(entry.trim()));
    if (before === null) return client;
    client = before;
  }
  return client;
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some((range) => isInRange(range, address));
}

/** Some proxies write the port too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry;
}
