import ipaddr from "ipaddr.js";

/** Text that is the same for all addresses of one destination: an IPv4 address, or the /64 of an IPv6 address, the smallest assignment. */
export function networkOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
