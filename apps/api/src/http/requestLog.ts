import type { LineLog } from "@dueday/config/createLineLog";
import type { Logger } from "@dueday/config/createLogger";
import type { Exchange } from "./exchange";
import { RequestLine, requestFacts } from "./requestLine";

/** Kinds of requests whose line is kept: the URLs that are polled, and how they end. */
const LINES_KEPT = 8;

/** Makes what writes the one log line of each request. */
export function createRequestLog(logger: Logger, lines: LineLog) {
  const kept: RequestLine[] = [];
  let line: RequestLine | undefined;

  function lineOf(exchange: Exchange, status: number): RequestLine {
    if (line?.suits(exchange, status) === true) return line;
    line = kept.find((each) => each.suits(exchange, status));
    if (line === undefined) {
      line = new RequestLine(exchange, status);
      if (kept.push(line) > LINES_KEPT) kept.shift();
    }
    return line;
  }

  return (exchange: Exchange, status: number, milliseconds: number): void => {
    const { error } = exchange;
    if (error !== null && status >= 500) {
      // The logger looks after what the details may hold.
      const rounded = Math.round(milliseconds * 1000) / 1000;
      logger.error({ ...requestFacts(exchange, status), milliseconds: rounded, ...error.details }, "request");
      return;
    }
    const suited = lineOf(exchange, status);
    const at = lines.begin(suited.longest);
    if (at !== null) lines.end(suited.write(lines.block, at, exchange, milliseconds));
  };
}
