import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Address, clientAddress, clientNetwork, isInRange, parseAddress, parseRange } from "./clientAddress";

const trusted = ["10.0.0.0/8", "fd00::/8", "192.0.2.7/32"].map(parseRange);

function networkOf(peer: string | null, forwardedFor: string | null = null, ranges = trusted): string | null {
  const address = clientAddress({ peer, forwardedFor }, ranges);
  return address === null ? null : clientNetwork(address);
}

function addressOf(text: string): Address {
  const address = parseAddress(text);
  if (address === null) throw new Error(`${text} is not an address`);
  return address;
}

const network = (text: string) => clientNetwork(addressOf(text));

test("without trusted proxies X-Forwarded-For is ignored", () => {
  expect(networkOf("198.51.100.1", "203.0.113.9", [])).toBe(network("198.51.100.1"));
});

test("X-Forwarded-For of a peer that is not a trusted proxy is ignored", () => {
  expect(networkOf("198.51.100.1", "203.0.113.9")).toBe(network("198.51.100.1"));
});

test("behind trusted proxies the right-most untrusted address is the client; entries that it wrote itself are ignored", () => {
  expect(networkOf("10.0.0.1", "203.0.113.9")).toBe(network("203.0.113.9"));
  expect(networkOf("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.2.3.4,192.0.2.7")).toBe(network("203.0.113.9"));
  expect(networkOf("::ffff:10.0.0.1", "203.0.113.9:4711")).toBe(network("203.0.113.9"));
  expect(networkOf("fd12::1", "[2001:db8::1]:443")).toBe(network("2001:db8::1"));
});

test("where all addresses are trusted, the left-most one is the client", () => {
  expect(networkOf("10.0.0.1", "10.0.0.9, 10.0.0.2")).toBe(network("10.0.0.9"));
  expect(networkOf("10.0.0.1")).toBe(network("10.0.0.1"));
});

test("an entry that is not an address ends the reading at the proxy that passed it on", () => {
  expect(networkOf("10.0.0.1", "203.0.113.9, unknown, 10.0.0.2")).toBe(network("10.0.0.2"));
  expect(networkOf("10.0.0.1", "")).toBe(network("10.0.0.1"));
});

test("a peer without an address has none", () => {
  expect(networkOf(null, "203.0.113.9")).toBeNull();
});

test("IPv6 clients are distinguished by /64, IPv4 clients by address, and the mapped form of an IPv4 address is the same client", () => {
  expect(network("2001:db8:1:2:3:4:5:6")).toBe(network("2001:db8:1:2::"));
  expect(network("2001:db8:1:2::1")).not.toBe(network("2001:db8:1:3::1"));
  expect(network("::ffff:203.0.113.9")).toBe(network("203.0.113.9"));
  expect(network("::ffff:cb00:7109")).toBe(network("203.0.113.9"));
  expect(network("203.0.113.9")).not.toBe(network("203.0.113.8"));
  expect(network("fe80::1%eth0")).toBe(network("fe80::1"));
});

test("any way of writing an IPv6 address reads as the same address", () => {
  // `::192.0.2.1` is the exception: an obsolete form that no host has; it reads as the IPv4 address.
  const ipV6 = fc.ipV6().filter((text) => !/^::\d+\.\d+\.\d+\.\d+$/.test(text));
  const read = (text: string) => parseAddress(text)?.parts;
  fc.assert(
    fc.property(ipV6, (text) => {
      const groups = read(text);
      expect(groups).toHaveLength(8);
      const written = (groups ?? []).map((group) => group.toString(16)).join(":");
      expect(read(written)).toEqual(groups);
      // The URL parser's own normal form is a second opinion, where it has one.
      if (URL.canParse(`http://[${text}]`))
        expect(read(new URL(`http://[${text}]`).hostname.slice(1, -1))).toEqual(groups);
    }),
  );
});

test("a range contains the addresses with its first bits, and no other", () => {
  const holds = (range: string, text: string) => isInRange(parseRange(range), addressOf(text));
  expect(holds("172.16.0.0/12", "172.31.255.255")).toBe(true);
  expect(holds("172.16.0.0/12", "172.32.0.0")).toBe(false);
  expect(holds("0.0.0.0/0", "8.8.8.8")).toBe(true);
  expect(holds("0.0.0.0/0", "2001:db8::1")).toBe(false);
  expect(holds("::/0", "8.8.8.8")).toBe(true);
  expect(holds("2001:db8::/33", "2001:db8:7fff::1")).toBe(true);
  expect(holds("2001:db8::/33", "2001:db8:8000::1")).toBe(false);
});

test("text that is not an address is rejected", () => {
  for (const text of ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::1::2", "0x7f.1", " 1.1.1.1"])
    expect(parseAddress(text)).toBeNull();
});
