/** What a page of another origin may read of an answer. */
const EXPOSED = [
  "X-Service-Lane",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "ETag",
  "X-As-Of",
  "X-Request-Id",
].join(", ");

/** What a page of another origin may send. */
const ALLOWED_HEADERS = [
  "Authorization",
  "Content-Type",
  "If-None-Match",
  "X-Request-Id",
  "X-Service-Admin-Key",
  "MCP-Protocol-Version",
].join(", ");

const PREFLIGHT_SECONDS = "600";

/** Answers whether pages of an origin may use the service, as headers. */
export type Cors = {
  /** For any answer to a request with this Origin. */
  fields(origin: string | null): Readonly<Record<string, string>>;
};

const NONE = {};

/**
 * Cross-origin rules from CORS_ORIGINS; `*` allows any origin. No credentials of a browser are ever asked for.
 *
 * @returns null without origins: no answer depends on where it was asked for, and none has to tell
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

/** Besides those, for the answer to a preflight on a path that takes these methods. They allow nothing by themselves. */
export function preflightFields(methods: string): Readonly<Record<string, string>> {
  return {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": PREFLIGHT_SECONDS,
  };
}
