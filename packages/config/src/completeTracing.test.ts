import { expect, test } from "bun:test";
import { tracingChannel } from "node:diagnostics_channel";
import { createLineLogger } from "./createLogger";

test("a tracing channel says whether any of its five channels has a subscriber", () => {
  createLineLogger({ level: "info", secrets: [] });
  const channel = tracingChannel("five");
  expect(channel.hasSubscribers).toBe(false);
  for (const event of ["start", "end", "asyncStart", "asyncEnd", "error"] as const) {
    const note = () => {};
    channel[event].subscribe(note);
    expect(channel.hasSubscribers).toBe(true);
    channel[event].unsubscribe(note);
    expect(channel.hasSubscribers).toBe(false);
  }
});

test("a line is traced while somebody subscribes to pino's channel, and not otherwise", () => {
  const lines: string[] = [];
  const logger = createLineLogger({
    level: "info",
    secrets: [],
    destination: { write: (line) => void lines.push(line) },
  });
  const channel = tracingChannel("pino_asJson");
  const traced: unknown[] = [];
  const subscribers = {
    start: () => {},
    end: (context: object) => void traced.push(Reflect.get(context, "result")),
    asyncStart: () => {},
    asyncEnd: () => {},
    error: () => {},
  };
  logger.info("before");
  channel.subscribe(subscribers);
  logger.info("during");
  channel.unsubscribe(subscribers);
  logger.info("after");
  expect(lines).toHaveLength(3);
  expect(traced).toEqual([lines[1]]);
});
