import ipaddr from "ipaddr.js";

/** Where a request came from: its peer, and the addresses that the peer forwards. */
export type Origin = {
  /** Null where the connection has no address, or has ended. */
  peer: string | null;
  /** The X-Forwarded-For header, repeated ones joined by commas. */
  forwardedFor: string | null;
};

/** An IP address in its IPv6 form; an IPv4 address is its IPv4-mapped one, so that `::ffff:1.2.3.4` and `1.2.3.4` are equal. */
export type Address = ipaddr.IPv6;

/** Addresses that share their first `bits` bits. */
export type AddressRange = { base: Address; bits: number };

const IPV4_MAPPED_BITS = 96;

/** Parses an IPv4 or IPv6 address, an IPv6 zone (`%eth0`) included; null for anything else. */
export function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toIPv4MappedAddress();
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

/** Parses a range such as `10.0.0.0/8` or `fd00::/8`. @throws Error for text that the settings would have rejected */
export function parseRange(text: string): AddressRange {
  const [base, bits] = ipaddr.parseCIDR(text);
  return base instanceof ipaddr.IPv4
    ? { base: base.toIPv4MappedAddress(), bits: bits + IPV4_MAPPED_BITS }
    : { base, bits };
}

/**
 * Whether an address is in one of these ranges. Where a peer forwards for others without being a trusted proxy, the result is false: the
 * address is the peer's own.
 */
export function isTrustedClient(
  address: Address | null,
  { peer, forwardedFor }: Origin,
  { clients, proxies }: { clients: readonly AddressRange[]; proxies: readonly AddressRange[] },
): boolean {
  if (address === null || clients.length === 0 || !isTrusted(address, clients)) return false;
  const sender = peer === null ? null : parseAddress(peer);
  return forwardedFor === null || (sender !== null && isTrusted(sender, proxies));
}

export function isInRange({ base, bits }: AddressRange, address: Address): boolean {
  return address.match(base, bits);
}

/**
 * Returns the client's address. X-Forwarded-For counts only if it comes from a trusted proxy. It is read from the right, since a
 * client can write its left part: the first address that is not a trusted proxy is the client. An entry that is not an address
 * ends the reading at the proxy that passed it on.
 *
 * @returns null where the peer has no address
 */
export function clientAddress({ peer, forwardedFor }: Origin, trusted: readonly AddressRange[]): Address | null {
  let client = peer === null ? null : parseAddress(peer);
  if (client === null || forwardedFor === null || trusted.length === 0) return client;
  const entries = forwardedFor.split(",");
  while (isTrusted(client, trusted)) {
    const entry = entries.pop();
    const before = entry === undefined ? null : parseAddress(withoutPort(entry.trim()));
    if (before === null) return client;
    client = before;
  }
  return client;
}

/** Text that is the same for all addresses of one client: an IPv4 address, or the /64 of an IPv6 address, the smallest assignment. */
export function clientNetwork(address: Address): string {
  const isIpv4 = address.isIPv4MappedAddress();
  const groups = isIpv4 ? address.parts.slice(6) : address.parts.slice(0, 4);
  return `${isIpv4 ? "4" : "6"}:${groups.map((group) => group.toString(16)).join(":")}`;
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some((range) => isInRange(range, address));
}

/** Some proxies write the port too: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry;
}
