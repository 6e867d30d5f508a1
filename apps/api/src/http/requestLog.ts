import type { Logger } from "@dueday/config/createLogger";
import type { Exchange } from "./exchange";

/** Clients choose the path, so long ones are cut before they are logged. */
const LOGGED_PATH_LENGTH = 200;

/** Creates the function that writes one log line for each request, with the error's details when the service failed. */
export function createRequestLog(logger: Logger) {
  return (exchange: Exchange, status: number, milliseconds: number): void => {
    const { requestId, client, method, path, operation, chainId, lane, error } = exchange;
    const facts = {
      requestId,
      client,
      method,
      path: path.slice(0, LOGGED_PATH_LENGTH),
      operation,
      chainId,
      lane,
      status,
      code: error?.code,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    };
    if (error !== null && status >= 500) logger.error({ ...error.details, ...facts }, "request");
    else logger.info(facts, "request");
  };
}
