import pino from "pino";
import type { Logger } from "./createLogger";
import type { LineBlock } from "./lineBlock";
import { turnBlock } from "./turnBlock";

/** A `LineBlock` whose `begin` answers null where lines are not logged: there is nothing to write then, and nothing to end. */
export type LineLog = Omit<LineBlock, "begin"> & { begin(longest: number): number | null };

/**
 * Takes finished JSON lines to where `logger` writes its own, at level info and only if that is logged. For a line a request:
 * serializing, searching and writing each by itself would cost more than the rest of a cached answer. Nothing is blotted out
 * here, so a line may hold what the client sent and what is known of the request, and never an error, a setting or an upstream's
 * words.
 */
export function createLineLog(logger: Logger): LineLog {
  // pino publishes the symbol, but types none of what lies under it.
  const destination: unknown = Reflect.get(logger, pino.symbols.streamSym);
  if (!isStream(destination)) throw new Error("the logger has no stream");
  const { block, begin, end } = isLineBlock(destination) ? destination : turnBlock((lines) => destination.write(lines));
  return { block, begin: (longest) => (logger.isLevelEnabled("info") ? begin(longest) : null), end };
}

type Stream = { write(lines: string): void };

function isStream(value: unknown): value is Stream {
  return typeof value === "object" && value !== null && "write" in value && typeof value.write === "function";
}

/** Nothing but a `LineBlock` has all three. */
function isLineBlock(stream: Stream): stream is Stream & LineBlock {
  return "block" in stream && "begin" in stream && "end" in stream;
}
