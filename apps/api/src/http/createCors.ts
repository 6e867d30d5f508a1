/** Headers that a page of another origin may read. */
const EXPOSED = [
  "X-Service-Lane",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "ETag",
  "X-As-Of",
  "X-Request-Id",
].join(", ");

/** Headers that a page of another origin may send. */
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "If-None-Match",
  "X-Request-Id",
  "X-Min-Block",
  "X-Service-Admin-Key",
  // A page that reads a stream by fetch sends the id of its last event.
  "Last-Event-ID",
  // Clients of MCP 2026-07-28 send the first three, Mcp-Name only with a request that names a tool, a resource or a prompt. /mcp has no
  // sessions, but older clients may send an id.
  "Mcp-Method",
  "Mcp-Name",
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
].join(", ");

const PREFLIGHT_SECONDS = "600";

/** Decides whether pages of an origin may use the service. */
export type Cors = {
  /** Headers of any answer to a request with this Origin. */
  fields(origin: string | null): Readonly<Record<string, string>>;
};

const NONE = {};

/**
 * Cross-origin rules from CORS_ORIGINS; `*` allows any origin. Browsers add no credentials.
 *
 * @returns null without origins: then no answer depends on the origin, and none has these headers
 */
export function createCors(origins: readonly string[]): Cors | null {
  if (origins.length === 0) return null;
  const listed = new Set(origins);
  const everyOrigin = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED };
  const refused = { Vary: "Origin" };
  return {
    fields(origin) {
      if (listed.has("*")) return origin === null ? NONE : everyOrigin;
      if (origin === null || !listed.has(origin)) return refused;
      return { Vary: "Origin", "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED };
    },
  };
}

/** Further headers of the answer to a preflight. Without those of `fields` they allow nothing. */
export function preflightFields(methods: string): Readonly<Record<string, string>> {
  return {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": PREFLIGHT_SECONDS,
  };
}
