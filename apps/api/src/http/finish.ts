import { rateLimitFields } from "../limits/rateLimitFields";
import { DOCS_PATH } from "../surfaces/docs/docs";
import { createCors } from "./createCors";
import type { Exchange } from "./exchange";
import { createRequestLog } from "./requestLog";
import { DOCS_POLICY, securityFields } from "./securityFields";
import type { Service } from "./service";

/** Every response leaves through one of these, with what every response has and the one log line of its request. */
export type Finish = {
  response(exchange: Exchange, response: Response): Response;
  /** A response that lay ready: what is the same for all of its kind, and who and limits, are in it already. */
  ready(exchange: Exchange, response: Response): Response;
};

export function createFinish(service: Service): Finish {
  const cors = createCors(service.config.corsOrigins);
  const logRequest = createRequestLog(service.logger, service.requestLines);

  function end(exchange: Exchange, response: Response): Response {
    const { status } = response;
    const milliseconds = performance.now() - exchange.startedAt;
    if (cors !== null) setFields(response.headers, cors.fields(exchange.request.headers.get("origin")));
    logRequest(exchange, status, milliseconds);
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

function setFields(headers: Headers, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) headers.set(name, value);
}

function setIdentity(headers: Headers, exchange: Exchange): void {
  headers.set("X-Request-Id", exchange.requestId);
  headers.set("X-Service-Lane", exchange.lane);
}

function setSecurity(headers: Headers, path: string): void {
  setFields(headers, securityFields);
  if (path === DOCS_PATH) headers.set("Content-Security-Policy", DOCS_POLICY);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

function setRateLimit(headers: Headers, { taking }: Exchange): void {
  if (taking === null) return;
  const { policy, rateLimit } = rateLimitFields(taking);
  headers.set("RateLimit-Policy", policy);
  headers.set("RateLimit", rateLimit);
}
