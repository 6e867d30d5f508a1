import type { Config } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import { nameOf } from "./checkHost";
import { managementSecret } from "./managementSecret";

/** Where the pages of the developer portal are. */
export type PortalSite = {
  /** Whether they are on https. Without it they are on this machine only. */
  secure: boolean;
  /**
   * Origin of the pages that send a request, such as https://dueday.example; null for a Host header that is not the portal's. It is the
   * domain that wallets show and sign, so no client may choose it.
   */
  originOf(host: string | null): string | null;
};

/** Names that wallets can show. */
const LOOPBACK_NAMES = ["localhost", "127.0.0.1"];
const LOOPBACK_HOSTS = [...LOOPBACK_NAMES, "::1"];

/**
 * The portal's site: the origin of PUBLIC_URL or, without it, where the service listens on this machine alone, the loopback name that a
 * request is sent to. Any other Host header could be the name of a page that asks for signatures in the name of this service.
 *
 * @returns the reason where the portal is closed
 */
export function portalSite(
  config: Pick<Config, "publicUrl" | "host" | "adminSecret" | "developerKeysEnabled">,
): PortalSite | { closed: string } {
  if (managementSecret(config) === null)
    return { closed: "its operator has to set ADMIN_SECRET, and DEVELOPER_KEYS_ENABLED must not be false" };
  if (config.publicUrl !== null) {
    const { origin, protocol, hostname } = new URL(config.publicUrl);
    const secure = protocol === "https:";
    return secure || LOOPBACK_NAMES.includes(hostname)
      ? { secure, originOf: () => origin }
      : { closed: "its operator has to set PUBLIC_URL to an https URL" };
  }
  if (!LOOPBACK_HOSTS.includes(config.host)) return { closed: "its operator has to set PUBLIC_URL" };
  return {
    secure: false,
    originOf: (host) =>
      host !== null && LOOPBACK_NAMES.includes(nameOf(host)) ? `http://${host.toLowerCase()}` : null,
  };
}

/** The answer of a portal that is closed. */
export function portalDisabled(reason: string): ServiceError {
  return new ServiceError("PORTAL_DISABLED", `The developer portal is not open on this service: ${reason}`);
}

/**
 * The origin that a request to the portal, or with a portal session, comes from.
 *
 * @throws ServiceError ORIGIN_REFUSED for a host that is not the portal's, and for a request that changes something and whose Origin header
 * is not the portal's: a page of another origin may have sent it with the browser's cookie
 */
export function requireOrigin(site: PortalSite, method: string, headers: Pick<Headers, "get">): string {
  const origin = site.originOf(headers.get("host"));
  if (origin !== null && (method === "GET" || method === "HEAD" || headers.get("origin") === origin)) return origin;
  throw new ServiceError(
    "ORIGIN_REFUSED",
    origin === null
      ? "Open the developer portal under http://localhost, or set PUBLIC_URL to the address under which it is opened"
      : `The developer portal is used from ${origin}: the Origin header of this request is missing or names another origin`,
  );
}
