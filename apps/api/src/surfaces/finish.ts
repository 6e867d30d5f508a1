import type { Exchange } from "../access/exchange";
import type { Service } from "../context";

/** Paths are text by strangers: long ones are cut before they reach the log. */
const LOGGED_PATH_LENGTH = 200;

/** Every response leaves through here: the common headers, and the one log line of the request. */
export function finish(service: Service, exchange: Exchange, response: Response): Response {
  response.headers.set("X-Request-Id", exchange.requestId);
  response.headers.set("X-Service-Lane", exchange.lane);
  // RateLimit fields, CORS and security headers belong here.
  logRequest(service, exchange, response.status);
  return response;
}

function logRequest(service: Service, exchange: Exchange, status: number): void {
  const { error } = exchange;
  const line = {
    requestId: exchange.requestId,
    method: exchange.request.method,
    path: exchange.path.slice(0, LOGGED_PATH_LENGTH),
    operation: exchange.operation,
    chainId: exchange.chainId,
    lane: exchange.lane,
    status,
    milliseconds: Math.round((performance.now() - exchange.startedAt) * 1000) / 1000,
  };
  if (error === null) service.logger.info(line, "request");
  else if (status < 500) service.logger.info({ ...line, code: error.code }, "request");
  else service.logger.error({ ...line, code: error.code, ...error.details }, "request");
}
