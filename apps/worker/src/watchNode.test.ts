import { expect, test } from "bun:test";
import { ServiceError } from "@dueday/core/errors";
import { watchNode } from "./watchNode";

const timeout = new ServiceError("UPSTREAM_TIMEOUT", "too late", { details: { failure: "timeout" } });
const unreachable = new ServiceError("UPSTREAM_UNAVAILABLE", "refused", { details: { failure: "unreachable" } });

function startWatch() {
  const reported: (number | "away")[] = [];
  let now = 0;
  const watch = watchNode({
    onAway: () => void reported.push("away"),
    onBack: (seconds) => void reported.push(seconds),
    elapsed: () => now,
  });
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { watch, reported, pass };
}

test("an outage is reported when it begins and when it ends, and covers what fails because of it", () => {
  const { watch, reported, pass } = startWatch();
  watch.noteFailure(timeout);
  watch.noteFailure(unreachable);
  expect(watch.covers(new Error("a job failed", { cause: timeout }))).toBe(true);
  pass(60);
  watch.noteAnswer();
  watch.noteAnswer();
  expect(reported).toEqual(["away", 60]);
});

test("a node that can't be reached begins an outage, whatever part notices it; one late answer to another question does not", () => {
  const { watch, reported } = startWatch();
  expect(watch.covers(timeout)).toBe(false);
  expect(reported).toEqual([]);
  expect(watch.covers(unreachable)).toBe(true);
  expect(reported).toEqual(["away"]);
});

test("what was asked during the outage is covered for as long as a request may take, and nothing after that", () => {
  const { watch, reported, pass } = startWatch();
  watch.noteFailure(timeout);
  watch.noteAnswer();
  pass(7);
  expect(watch.covers(timeout)).toBe(true);
  pass(2);
  expect(watch.covers(timeout)).toBe(false);
  expect(reported).toEqual(["away", 0]);
});

test("other faults begin no outage and are not covered by one", () => {
  const { watch, reported } = startWatch();
  watch.noteFailure(new Error("a bug"));
  expect(reported).toEqual([]);
  watch.noteFailure(timeout);
  expect(watch.covers(new Error("a bug"))).toBe(false);
});
