import { createCors } from "../access/createCors";
import type { Exchange } from "../access/exchange";
import { rateLimitFields } from "../access/limit/rateLimitFields";
import type { Service } from "../context";
import { DOCS_PATH } from "./docs";

/** Paths are text by strangers: long ones are cut before they reach the log. */
const LOGGED_PATH_LENGTH = 200;

/** Nothing here is a page but the docs, whose viewer writes scripts and styles of its own into it. */
const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";
const DOCS_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";

/** Gives a response what every response has, and writes the one log line of its request. */
export type Finish = (exchange: Exchange, response: Response) => Response;

/** Every response leaves through here. */
export function createFinish(service: Service): Finish {
  const cors = createCors(service.config.corsOrigins);
  return (exchange, response) => {
    const { headers } = response;
    headers.set("X-Request-Id", exchange.requestId);
    headers.set("X-Service-Lane", exchange.lane);
    setRateLimit(headers, exchange);
    const crossOrigin = cors.fields(exchange.request.headers.get("origin"));
    for (const name in crossOrigin) headers.set(name, crossOrigin[name] ?? "");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Content-Security-Policy", exchange.path === DOCS_PATH ? DOCS_POLICY : CONTENT_POLICY);
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
    logRequest(service, exchange, response.status);
    return response;
  };
}

/** A refusal behind the gate brings the fields of its own buckets. */
function setRateLimit(headers: Headers, { taking }: Exchange): void {
  if (taking === null || headers.has("RateLimit")) return;
  const { policy, rateLimit } = rateLimitFields(taking);
  headers.set("RateLimit-Policy", policy);
  headers.set("RateLimit", rateLimit);
}

function logRequest(service: Service, exchange: Exchange, status: number): void {
  const { error } = exchange;
  if (error !== null && status >= 500)
    service.logger.error({ ...facts(exchange, status), ...error.details }, "request");
  else service.requestLog(requestLine(exchange, status));
}

function facts(exchange: Exchange, status: number) {
  return {
    requestId: exchange.requestId,
    method: exchange.request.method,
    path: exchange.path.slice(0, LOGGED_PATH_LENGTH),
    operation: exchange.operation,
    chainId: exchange.chainId,
    lane: exchange.lane,
    client: exchange.client,
    status,
    code: exchange.error?.code,
    milliseconds: Math.round((performance.now() - exchange.startedAt) * 1000) / 1000,
  };
}

function requestLine(exchange: Exchange, status: number): string {
  return JSON.stringify({ level: "info", time: new Date().toISOString(), ...facts(exchange, status), msg: "request" });
}
