import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import { boolean, cidr, hostName, integer, list, origin, secret, url } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** Settings about which clients are accepted: hosts, origins, proxies and keys. */
export function readAccess(
  reader: SettingsReader,
  { publicUrl, webEnabled }: { publicUrl: string | null; webEnabled: boolean },
) {
  const adminSecret = reader.readOptional("ADMIN_SECRET", secret) ?? null;
  const developerKeysEnabled = reader.read("DEVELOPER_KEYS_ENABLED", boolean, adminSecret !== null);
  const hasOwnPortal = publicUrl !== null && webEnabled && adminSecret !== null && developerKeysEnabled;
  const ownPortal = hasOwnPortal ? `${withoutTrailing(publicUrl, "/")}/app/developers` : null;
  return {
    /** Names accepted in the Host header; null accepts every name. */
    allowedHosts: reader.readOptional("ALLOWED_HOSTS", list(hostName)) ?? null,
    /** Origins whose pages may read responses. */
    corsOrigins: reader.read("CORS_ORIGINS", list(origin), []),
    /** Origins whose pages may use /mcp. */
    mcpAllowedOrigins: reader.read("MCP_ALLOWED_ORIGINS", list(origin), []),
    /** Address ranges of proxies whose X-Forwarded-For header is trusted. */
    trustedProxies: reader.read("TRUSTED_PROXIES", list(cidr), []),
    /** Address ranges of clients whose requests are counted and never refused by the limits of a lane. */
    trustedClients: reader.read("TRUSTED_CLIENTS", list(cidr), []),
    adminSecret,
    developerKeysEnabled,
    maxKeysPerSubject: reader.read("MAX_KEYS_PER_SUBJECT", integer(1, 1_000, "keys"), 5),
    /** Page where a client can get a key; null: only the operator gives them. */
    developerPortalUrl: reader.readOptional("DEVELOPER_PORTAL_URL", url("http", "https")) ?? ownPortal,
  };
}
