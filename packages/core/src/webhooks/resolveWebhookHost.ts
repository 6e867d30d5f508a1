import { addressOf, isLoopbackHost, type WebhookUrlRules } from "./checkWebhookUrl";
import { isLoopbackAddress, isPublicAddress } from "./isPublicAddress";

/** All addresses of a host name. Rejects, or returns an empty list, where the name has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** The addresses that a request may connect to, and no others; or why there are none. */
export type ResolvedHost =
  | { addresses: readonly [string, ...string[]]; failure: null }
  | { addresses: null; failure: "UNRESOLVED" | "ADDRESS_REFUSED" };

/**
 * Resolves the host of a URL that `checkWebhookUrl` accepted. A host is refused if one of its addresses is not public:
 * a name that resolves to both kinds is an attempt to have the private one chosen. Connect only to the returned
 * addresses, because a second look-up can give others.
 */
export async function resolveWebhookHost(
  url: URL,
  { resolve, toLoopback }: WebhookUrlRules & { resolve: ResolveHost },
): Promise<ResolvedHost> {
  const literal = addressOf(url);
  const [first, ...others] = literal === null ? await resolve(url.hostname).catch(() => []) : [literal];
  if (first === undefined) return { addresses: null, failure: "UNRESOLVED" };
  const addresses: [string, ...string[]] = [first, ...others];
  const isAllowed = toLoopback && isLoopbackHost(url) ? isLoopbackAddress : isPublicAddress;
  return addresses.every(isAllowed) ? { addresses, failure: null } : { addresses: null, failure: "ADDRESS_REFUSED" };
}
