import { expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { createProgress } from "./createProgress";

function progress(terminal: { write(text: string): unknown } | null) {
  const lines: string[] = [];
  const time = { now: 0 };
  const logger = createLogger(parseConfig({}), { write: (line) => void lines.push(line) });
  return { lines, time, progress: createProgress({ logger, clock: () => time.now, terminal }) };
}

test("without a terminal a backfill is logged once a minute, with rate and time left", () => {
  const { lines, time, progress: shown } = progress(null);
  shown.begin(0, 1_000);
  for (let second = 1; second <= 125; second++) {
    time.now = second * 1_000;
    shown.advance(second * 4, 100);
  }
  shown.end();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { block: 240, target: 1_000, percent: 24, eventsPerSecond: 100, secondsLeft: 190 },
    { block: 480, target: 1_000, percent: 48, eventsPerSecond: 100, secondsLeft: 130 },
  ]);
});

test("on a terminal it is a bar, drawn over itself, and no log line", () => {
  const written: string[] = [];
  const { lines, time, progress: shown } = progress({ write: (text) => written.push(text) });
  shown.begin(0, 100);
  time.now = 1_000;
  shown.advance(50, 10);
  expect(shown.blocksPerSecond()).toBe(50);
  shown.end();
  expect(written.join("")).toContain("[###############...............] block 50 of 100, 10 events/s, 1 s left");
  expect(lines).toEqual([]);
  expect(shown.blocksPerSecond()).toBeNull();
});
