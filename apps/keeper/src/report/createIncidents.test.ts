import { expect, test } from "bun:test";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { createIncidents } from "./createIncidents";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NAME = "8453 failing";

/** Incidents on a clock that stands still between `pass`, and what they announce. */
function start() {
  let now = 0;
  const said: { at: number; text: string }[] = [];
  const clock = {
    elapsed: () => now,
    wall: () => Date.UTC(2026, 2, 1, 14, 5) + now,
    sleep: () => Promise.resolve(),
    random: () => 0,
  };
  const incidents = createIncidents({ clock, say: (text) => void said.push({ at: now, text }) });
  return {
    incidents,
    said,
    texts: () => said.map(({ text }) => text),
    /** Looks every minute, as the notifier does every two seconds. */
    pass(milliseconds: number) {
      for (const end = now + milliseconds; now < end; ) {
        now = Math.min(now + MINUTE, end);
        incidents.check();
      }
    },
  };
}

test("an incident is announced once however often it is raised, and once when it has stayed away for a quarter of an hour", () => {
  const { incidents, pass, texts } = start();
  expect(incidents.raise(NAME, "no node answers")).toBe(true);
  expect(incidents.raise(NAME, "no node answers still")).toBe(false);
  pass(HOUR);
  expect(incidents.resolve(NAME, "over: the keeper works again")).toBe(true);
  expect(incidents.resolve(NAME, "over: the keeper works again")).toBe(false);
  pass(14 * MINUTE);
  expect(texts()).toEqual(["no node answers"]);
  pass(MINUTE);
  expect(texts()).toEqual(["no node answers", "over: the keeper works again (began 2026-03-01 14:05 UTC)"]);
});

test("nothing is announced of an incident that was never raised", () => {
  const { incidents, pass, texts } = start();
  expect(incidents.resolve(NAME, "over")).toBe(false);
  pass(DAY);
  expect(texts()).toEqual([]);
});

test("one that comes and goes within the quarter of an hour is one incident, with the count of its comings", () => {
  const { incidents, pass, texts } = start();
  for (let turn = 0; turn < 40; turn++) {
    // Each edge is one for the log.
    expect(incidents.raise(NAME, "no node answers")).toBe(true);
    pass(2 * MINUTE);
    expect(incidents.resolve(NAME, "over: it works")).toBe(true);
    pass(8 * MINUTE);
  }
  pass(HOUR);
  expect(texts()).toEqual(["no node answers", "over: it works (began 2026-03-01 14:05 UTC, came 40 times)"]);
});

test("one that comes back after its end has to stay away twice as long the next time, and a day later a quarter of an hour again", () => {
  const { incidents, pass, said } = start();
  const comeAndGo = () => {
    incidents.raise(NAME, "no node answers");
    incidents.resolve(NAME, "over");
  };
  const holdOff = () => {
    comeAndGo();
    const from = said.at(-1)?.at ?? 0;
    pass(12 * HOUR);
    return ((said.at(-1)?.at ?? 0) - from) / MINUTE;
  };
  expect(Array.from({ length: 7 }, holdOff)).toEqual([15, 30, 60, 120, 240, 360, 360]);
  pass(DAY);
  expect(holdOff()).toBe(15);
});

test("one that lasts is announced once, and exists with its latest text until it has gone", () => {
  const { incidents, pass, texts } = start();
  incidents.raise(NAME, "1 day of gas");
  pass(HOUR);
  incidents.raise(NAME, "half a day of gas");
  pass(30 * DAY);
  expect(texts()).toEqual(["1 day of gas"]);
  expect(incidents.existing()).toEqual(["half a day of gas (began 2026-03-01 14:05 UTC)"]);
  incidents.resolve(NAME, "over: the balance is 1 ETH again");
  expect(incidents.existing()).toEqual([]);
  pass(DAY);
  expect(texts()).toEqual(["1 day of gas", "over: the balance is 1 ETH again (began 2026-03-01 14:05 UTC)"]);
});

test("at the end of the process, an incident that has gone is announced as over without waiting", () => {
  const { incidents, texts } = start();
  incidents.raise(NAME, "no node answers");
  incidents.raise("8453 blocked", "blocked");
  incidents.resolve(NAME, "over: it works");
  incidents.check(true);
  expect(texts()).toEqual(["no node answers", "blocked", "over: it works (began 2026-03-01 14:05 UTC)"]);
});

test("incidents have their own names: one that is over leaves the others open", () => {
  const { incidents, pass, texts } = start();
  incidents.raise("1 failing", "[1] fails");
  incidents.raise("2 failing", "[2] fails");
  incidents.resolve("2 failing", "[2] over");
  pass(15 * MINUTE);
  expect(texts()).toEqual(["[1] fails", "[2] fails", "[2] over (began 2026-03-01 14:05 UTC)"]);
});

test("however an incident comes and goes, a day has fewer than 20 lines about it, and the last line is true once it rests", () => {
  const turns = fc.array(
    fc.record({ there: fc.integer({ min: 1, max: 240 }), away: fc.integer({ min: 1, max: 480 }) }),
    {
      minLength: 1,
      maxLength: 400,
    },
  );
  fc.assert(
    fc.property(turns, fc.boolean(), (list, endsThere) => {
      const { incidents, pass, said } = start();
      for (const { there, away } of list) {
        incidents.raise(NAME, "there");
        pass(there * MINUTE);
        incidents.resolve(NAME, "away");
        pass(away * MINUTE);
      }
      if (endsThere) incidents.raise(NAME, "there");
      pass(6 * HOUR);
      for (const { at } of said)
        expect(said.filter((one) => one.at >= at && one.at < at + DAY).length).toBeLessThan(20);
      expect(said.at(-1)?.text).toStartWith(endsThere ? "there" : "away");
    }),
    { numRuns: 100 * testDepth },
  );
});
