import type { LineLog } from "@dueday/config/createLineLog";
import type { Logger } from "@dueday/config/createLogger";
import type { Exchange } from "../access/exchange";
import { RequestLine, requestFacts } from "./requestLine";

/** Writes the one log line of a request. */
export type RequestLog = (exchange: Exchange, status: number, milliseconds: number) => void;

/** Requests of one kind come in a row: each is told with the line of the one before. */
export function createRequestLog(logger: Logger, lines: LineLog): RequestLog {
  let line: RequestLine | undefined;
  return (exchange, status, milliseconds) => {
    const { error } = exchange;
    if (error !== null && status >= 500) {
      // The logger looks after what the details may hold.
      logger.error({ ...requestFacts(exchange, status), milliseconds, ...error.details }, "request");
      return;
    }
    if (line?.suits(exchange, status) !== true) line = new RequestLine(exchange, status);
    const at = lines.begin(line.longest);
    if (at !== -1) lines.end(line.write(lines.block, at, exchange, milliseconds));
  };
}
