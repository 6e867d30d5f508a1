import { securityFields } from "../answers/securityFields";
import { rateLimitFields } from "../limits/rateLimitFields";
import type { Cors } from "./createCors";
import type { Exchange } from "./exchange";

/** Completes a response: every response of the service passes through here, once. */
export type Finish = (exchange: Exchange, response: Response) => Response;

export type FinishParts = {
  /** Null without CORS_ORIGINS. */
  cors: Cors | null;
  logRequest(exchange: Exchange, status: number, milliseconds: number): void;
  countRequest(exchange: Exchange, status: number, seconds: number): void;
};

/** Defaults: a page that needs more sets its own policy. */
const COMMON_FIELDS = Object.entries({ ...securityFields, "Cache-Control": "no-store" });

/** Adds the headers that all responses have, writes the request's log line and counts it. */
export function createFinish({ cors, logRequest, countRequest }: FinishParts): Finish {
  return (exchange, response) => {
    const { headers, status } = response;
    headers.set("X-Request-Id", exchange.requestId);
    headers.set("X-Service-Lane", exchange.lane);
    // An error that further buckets caused already has the fields of its decision.
    if (exchange.decision !== null && !headers.has("RateLimit")) {
      const fields = rateLimitFields(exchange.decision);
      headers.set("RateLimit-Policy", fields["RateLimit-Policy"]);
      headers.set("RateLimit", fields.RateLimit);
    }
    if (exchange.setCookie !== null) headers.set("Set-Cookie", exchange.setCookie);
    // A ready answer already has all common fields.
    if (!headers.has("X-Content-Type-Options")) {
      for (const [name, value] of COMMON_FIELDS) if (!headers.has(name)) headers.set(name, value);
    }
    if (cors !== null) {
      const fields = cors.fields(exchange.request.headers.get("origin"));
      for (const [name, value] of Object.entries(fields)) {
        // The answer itself may vary by another header, such as Accept-Encoding.
        if (name === "Vary") headers.append(name, value);
        else headers.set(name, value);
      }
    }
    if (status >= 400 && leavesBodyUnread(exchange)) headers.set("Connection", "close");
    const milliseconds = performance.now() - exchange.startedAt;
    logRequest(exchange, status, milliseconds);
    countRequest(exchange, status, milliseconds / 1000);
    return response;
  };
}

/**
 * The longest body that any route accepts. The server reads and discards the rest of a body up to this length: a client such as a proxy
 * would lose the answer if the connection were closed during its upload.
 */
const MAX_DISCARDED_BYTES = 1024 * 1024;

/** Without `Connection: close` a client could send the whole body of a refused request, of any length. */
function leavesBodyUnread({ request, error }: Exchange): boolean {
  const { headers, bodyUsed } = request;
  const isLong = headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > MAX_DISCARDED_BYTES;
  // A body that is too large is read up to the limit.
  return isLong && (!bodyUsed || error?.code === "PAYLOAD_TOO_LARGE");
}
