import { tracingChannel } from "node:diagnostics_channel";

/**
 * Gives tracing channels the `hasSubscribers` that Node's have. Bun 1.4.4 has none (its issue 27805 is open);
 * pino writes a line without tracing it only where that is `false`, so on Bun it would trace each line for nobody.
 */
export function completeTracing(): void {
  const prototype = Object.getPrototypeOf(tracingChannel("complete"));
  if ("hasSubscribers" in prototype) return;
  Object.defineProperty(prototype, "hasSubscribers", {
    get(this: ReturnType<typeof tracingChannel>) {
      const { start, end, asyncStart, asyncEnd, error } = this;
      return (
        start.hasSubscribers ||
        end.hasSubscribers ||
        asyncStart.hasSubscribers ||
        asyncEnd.hasSubscribers ||
        error.hasSubscribers
      );
    },
  });
}
