import { tracingChannel } from "node:diagnostics_channel";

/**
 * Adds `hasSubscribers` to tracing channels, as in Node. Bun 1.4.4 lacks it (its issue 27805 is open); pino skips
 * tracing only where the property is `false`, so on Bun it would trace each line without any subscriber.
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
