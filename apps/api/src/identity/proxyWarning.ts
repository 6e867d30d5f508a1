import type { Logger } from "@dueday/config/createLogger";
import {
  type Address,
  type AddressRange,
  clientAddress,
  clientNetwork,
  isInRange,
  type Origin,
  parseAddress,
} from "./clientAddress";

/** Names of ranges, from `range()` of ipaddr.js, whose addresses no client on the internet has. */
const PRIVATE = ["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"];
const ADDRESS_BITS = 128;
/** A peer that forwards requests of this number of clients is a proxy: a test page or a script of one client names fewer. */
const MANY_CLIENTS = 20;
const MAX_PEERS = 32;
/** Addresses of clients are in memory for minutes only (docs/privacy.md). */
const WINDOW_MS = 600_000;

/**
 * Creates a detector of proxies that TRUSTED_PROXIES does not contain: the clients of such a proxy are counted as one. Logs one
 * warning, when a private address that is not a trusted proxy has forwarded requests of many clients within ten minutes.
 *
 * @returns a function that is called about every five minutes for each client, with its origin and the time in Unix milliseconds
 */
export function createProxyWarning(
  logger: Pick<Logger, "warn">,
  trusted: readonly AddressRange[],
): (origin: Origin, now: number) => void {
  const forwarded = new Map<string, Set<string>>();
  let since = 0;
  let isLogged = false;

  return ({ peer, forwardedFor }, now) => {
    if (isLogged) return;
    if (Math.abs(now - since) > WINDOW_MS) {
      forwarded.clear();
      since = now;
    }
    if (peer === null || forwardedFor === null) return;
    const address = parseAddress(peer);
    if (address === null || !isPrivate(address) || trusted.some((range) => isInRange(range, address))) return;
    const client = clientAddress({ peer, forwardedFor }, [{ base: address, bits: ADDRESS_BITS }, ...trusted]);
    const clients = forwarded.get(peer) ?? new Set();
    if (client === null || (clients.size === 0 && forwarded.size === MAX_PEERS)) return;
    forwarded.set(peer, clients.add(clientNetwork(client)));
    if (clients.size < MANY_CLIENTS) return;
    isLogged = true;
    forwarded.clear();
    logger.warn(
      { proxy: peer },
      "a proxy that TRUSTED_PROXIES does not contain forwards requests of many clients: they are counted and limited as one client; add the proxy's address to TRUSTED_PROXIES",
    );
  };
}

function isPrivate(address: Address): boolean {
  return PRIVATE.includes(address.isIPv4MappedAddress() ? address.toIPv4Address().range() : address.range());
}
