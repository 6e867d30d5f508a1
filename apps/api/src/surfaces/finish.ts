import { createCors } from "../access/createCors";
import type { Exchange } from "../access/exchange";
import { rateLimitFields } from "../access/limit/rateLimitFields";
import type { Service } from "../context";
import { DOCS_PATH } from "./docs";
import { DOCS_POLICY, securityFields } from "./securityFields";

/** Paths are text by strangers: long ones are cut before they reach the log. */
const LOGGED_PATH_LENGTH = 200;

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
    if (!headers.has("X-Content-Type-Options")) setSecurity(headers, exchange.path);
    logRequest(service, exchange, response.status);
    service.noteRequest(exchange, response.status);
    return response;
  };
}

function setSecurity(headers: Headers, path: string): void {
  for (const [name, value] of Object.entries(securityFields)) headers.set(name, value);
  if (path === DOCS_PATH) headers.set("Content-Security-Policy", DOCS_POLICY);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
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
  const line = requestLine(exchange, status);
  if (error === null || status < 500) {
    service.requestLog(JSON.stringify(line));
    return;
  }
  // The logger brings level and time of its own, and looks after what the details may hold.
  const { level, time, msg, ...facts } = line;
  service.logger.error({ ...facts, ...error.details }, msg);
}

/** One object from the start: this runs for every request, and copying would cost more than writing it out. */
function requestLine(exchange: Exchange, status: number) {
  return {
    level: "info",
    time: new Date().toISOString(),
    requestId: exchange.requestId,
    method: exchange.request.method,
    path: exchange.path.length > LOGGED_PATH_LENGTH ? exchange.path.slice(0, LOGGED_PATH_LENGTH) : exchange.path,
    operation: exchange.operation,
    chainId: exchange.chainId,
    lane: exchange.lane,
    client: exchange.client,
    status,
    code: exchange.error?.code,
    milliseconds: Math.round((performance.now() - exchange.startedAt) * 1000) / 1000,
    msg: "request",
  };
}
