import { createCors } from "../access/createCors";
import type { Exchange } from "../access/exchange";
import { rateLimitFields } from "../access/limit/rateLimitFields";
import type { Service } from "../context";
import { DOCS_PATH } from "./docs";
import { DOCS_POLICY, securityFields } from "./securityFields";

/** Paths are text by strangers: long ones are cut before they reach the log. */
const LOGGED_PATH_LENGTH = 200;

/** Every response leaves through one of these, with what every response has and the one log line of its request. */
export type Finish = {
  response(exchange: Exchange, response: Response): Response;
  /** A response that lay ready: what is the same for all of its kind, and who and limits, are in it already. */
  ready(exchange: Exchange, response: Response): Response;
};

export function createFinish(service: Service): Finish {
  const cors = createCors(service.config.corsOrigins);
  const timestamp = createTimestamp();
  const requestLine = createRequestLine();

  function end(exchange: Exchange, response: Response): Response {
    const { status } = response;
    const milliseconds = performance.now() - exchange.startedAt;
    const crossOrigin = cors.fields(exchange.request.headers.get("origin"));
    for (const name in crossOrigin) response.headers.set(name, crossOrigin[name] ?? "");
    logRequest(service, exchange, status, requestLine(exchange, status, milliseconds, timestamp()));
    service.noteRequest(exchange, status, milliseconds / 1000);
    return response;
  }

  return {
    response(exchange, response) {
      const { headers } = response;
      setIdentity(headers, exchange);
      // A refusal behind the gate brings the fields of its own buckets.
      if (exchange.error?.headers.RateLimit === undefined) setRateLimit(headers, exchange);
      if (!headers.has("X-Content-Type-Options")) setSecurity(headers, exchange.path);
      return end(exchange, response);
    },
    ready: end,
  };
}

function setIdentity(headers: Headers, exchange: Exchange): void {
  headers.set("X-Request-Id", exchange.requestId);
  headers.set("X-Service-Lane", exchange.lane);
}

function setSecurity(headers: Headers, path: string): void {
  for (const [name, value] of Object.entries(securityFields)) headers.set(name, value);
  if (path === DOCS_PATH) headers.set("Content-Security-Policy", DOCS_POLICY);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

function setRateLimit(headers: Headers, { taking }: Exchange): void {
  if (taking === null) return;
  const { policy, rateLimit } = rateLimitFields(taking);
  headers.set("RateLimit-Policy", policy);
  headers.set("RateLimit", rateLimit);
}

function logRequest(service: Service, { error }: Exchange, status: number, text: string): void {
  if (error === null || status < 500) {
    service.requestLog(text);
    return;
  }
  // The logger brings level and time of its own, and looks after what the details may hold.
  const line: Record<string, unknown> = JSON.parse(text);
  const { level: _level, time: _time, msg: _msg, ...facts } = line;
  service.logger.error({ ...facts, ...error.details }, "request");
}

/**
 * Makes the JSON line of a request, written out piece by piece, because serializing an object would cost as much as all that the
 * gate does. What the same URL says again and again is kept from the request before.
 */
function createRequestLine() {
  let asked = { method: "", path: "", operation: "", chainId: -1, text: "" };

  function targetText(method: string, path: string, operation: string | null, chainId: number | null): string {
    const { text } = asked;
    if (path === asked.path && method === asked.method && operation === asked.operation && chainId === asked.chainId) {
      return text;
    }
    // Method and path are the client's words, and need quoting; the rest is our own.
    const shown = path.length > LOGGED_PATH_LENGTH ? path.slice(0, LOGGED_PATH_LENGTH) : path;
    const made =
      `"method":${JSON.stringify(method)},"path":${JSON.stringify(shown)}` +
      `,"operation":${quoted(operation)},"chainId":${chainId}`;
    if (operation !== null && chainId !== null) asked = { method, path, operation, chainId, text: made };
    return made;
  }

  return (exchange: Exchange, status: number, milliseconds: number, now: string): string => {
    const { request, requestId, path, operation, chainId, lane, client, error } = exchange;
    const target = targetText(request.method, path, operation, chainId);
    const code = error === null ? "" : `,"code":"${error.code}"`;
    const rounded = Math.round(milliseconds * 1000) / 1000;
    return (
      `{"level":"info","time":"${now}","requestId":"${requestId}",${target},"lane":"${lane}","client":${quoted(client)}` +
      `,"status":${status}${code},"milliseconds":${rounded},"msg":"request"}`
    );
  };
}

function quoted(value: string | null): string {
  return value === null ? "null" : `"${value}"`;
}

/** The time as text, made once a millisecond. */
function createTimestamp(): () => string {
  let millisecond = 0;
  let written = "";
  return () => {
    const now = Date.now();
    if (now !== millisecond) {
      millisecond = now;
      written = new Date(now).toISOString();
    }
    return written;
  };
}
