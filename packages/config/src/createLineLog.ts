import pino from "pino";
import type { Logger } from "./createLogger";

/**
 * Writes finished JSON lines where `logger` writes its own, at level info and only if that is logged: all lines of one turn of
 * the event loop together, at its end. For a line a request: serializing, searching and writing each by itself would cost more
 * than the rest of a cached answer. Nothing is blotted out here, so a line may hold what the client sent and what is known of
 * the request, and never an error, a setting or an upstream's words.
 */
export function createLineLog(logger: Logger): (line: string) => void {
  // pino publishes the symbol, but types none of what lies under it.
  const destination: unknown = Reflect.get(logger, pino.symbols.streamSym);
  if (!isStream(destination)) throw new Error("the logger has no stream");
  const stream = destination;
  let pending = "";

  function flush(): void {
    const lines = pending;
    pending = "";
    stream.write(lines);
  }

  return (line) => {
    if (!logger.isLevelEnabled("info")) return;
    if (pending === "") setImmediate(flush);
    pending += `${line}\n`;
  };
}

function isStream(value: unknown): value is { write(lines: string): void } {
  return typeof value === "object" && value !== null && "write" in value && typeof value.write === "function";
}
