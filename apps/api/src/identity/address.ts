import { isIP } from "node:net";

/** An IP address as the eight 16-bit groups of IPv6; an IPv4 address is its IPv4-mapped one. */
export type Address = readonly number[];

/** Addresses that share their first `bits` bits. */
export type AddressRange = { base: Address; bits: number };

const MAPPED = [0, 0, 0, 0, 0, 0xffff];
const MAPPED_BITS = 96;
const GROUPS = 8;

/** Reads an IPv4 or IPv6 address, an IPv6 zone (`%eth0`) included; null for anything else. */
export function parseAddress(text: string): Address | null {
  const version = isIP(text);
  if (version === 0) return null;
  if (version === 4) return [...MAPPED, ...groupsOfIpv4(text)];
  const [address = ""] = text.split("%", 1);
  const [head = "", tail] = address.split("::");
  const first = groupsOfIpv6(head);
  if (tail === undefined) return first;
  const last = groupsOfIpv6(tail);
  return [...first, ...Array<number>(GROUPS - first.length - last.length).fill(0), ...last];
}

function groupsOfIpv6(text: string): number[] {
  if (text === "") return [];
  // The last 32 bits may be written as an IPv4 address.
  return text.split(":").flatMap((part) => (part.includes(".") ? groupsOfIpv4(part) : [Number.parseInt(part, 16)]));
}

function groupsOfIpv4(text: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** Reads a range such as `10.0.0.0/8` or `fd00::/8`. @throws RangeError for text that settings would have refused. */
export function parseRange(text: string): AddressRange {
  const [address = "", bits = ""] = text.split("/");
  const base = parseAddress(address);
  if (base === null || !/^\d+$/.test(bits)) throw new RangeError("not an address range");
  return { base, bits: Number(bits) + (isIP(address) === 4 ? MAPPED_BITS : 0) };
}

export function isInRange({ base, bits }: AddressRange, address: Address): boolean {
  return base.every((group, index) => {
    const counted = Math.min(16, Math.max(0, bits - 16 * index));
    return group >>> (16 - counted) === (address[index] ?? 0) >>> (16 - counted);
  });
}

/**
 * What stands for one client: an IPv4 address whole, an IPv6 address by its /64, which is the least that one subscriber is given.
 */
export function clientNetwork(address: Address): string {
  const isIpv4 = MAPPED.every((group, index) => address[index] === group);
  const kept = isIpv4 ? address.slice(MAPPED.length) : address.slice(0, GROUPS / 2);
  return `${isIpv4 ? "4" : "6"}:${kept.map((group) => group.toString(16)).join(":")}`;
}
