import { boolean, cidr, hostName, integer, list, origin, secret, url } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** Who may come in, and how often. */
export function readAccess(reader: SettingsReader) {
  const adminSecret = reader.readOptional("ADMIN_SECRET", secret) ?? null;
  return {
    /** Names accepted in Host besides the server's own; null accepts any. */
    allowedHosts: reader.readOptional("ALLOWED_HOSTS", list(hostName)) ?? null,
    /** Origins whose pages may read answers. */
    corsOrigins: reader.read("CORS_ORIGINS", list(origin), []),
    mcpAllowedOrigins: reader.read("MCP_ALLOWED_ORIGINS", list(origin), []),
    /** Ranges of proxies whose X-Forwarded-For is believed. */
    trustedProxies: reader.read("TRUSTED_PROXIES", list(cidr), []),
    adminSecret,
    developerKeysEnabled: reader.read("DEVELOPER_KEYS_ENABLED", boolean, adminSecret !== null),
    maxKeysPerSubject: reader.read("MAX_KEYS_PER_SUBJECT", integer(1, 1_000), 5),
    developerPortalUrl: reader.readOptional("DEVELOPER_PORTAL_URL", url("http", "https")) ?? null,
  };
}
