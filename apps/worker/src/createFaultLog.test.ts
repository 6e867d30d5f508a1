import { expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { muteLogger } from "@dueday/config/muteLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { createFaultLog } from "./createFaultLog";

function logged() {
  const lines: string[] = [];
  const logger = createLogger(parseConfig({}), { write: (line) => void lines.push(line) });
  const messages = () => lines.map((line) => [Object(JSON.parse(line)).err?.message, Object(JSON.parse(line)).msg]);
  return { logger, messages };
}

const TEXTS = { failed: "work failed; it is repeated", succeeded: "work succeeds again" };

test("of faults that repeat in any order each is logged once, and their end once", () => {
  const { logger, messages } = logged();
  const faults = createFaultLog(logger, TEXTS);
  const [a, b] = [new Error("block 17 is not there"), new Error("no answer")];
  faults.succeeded();
  for (const error of [a, b, a, b, new Error("block 18 is not there")]) faults.failed(error);
  faults.succeeded();
  faults.succeeded();
  faults.failed(a);
  expect(messages()).toEqual([
    ["block 17 is not there", TEXTS.failed],
    ["no answer", TEXTS.failed],
    [undefined, TEXTS.succeeded],
    ["block 17 is not there", TEXTS.failed],
  ]);
});

test("a fault of an outage that is reported elsewhere is not logged, and is when it outlasts the outage", () => {
  const { logger, messages } = logged();
  let isAway = true;
  const muted = muteLogger(
    muteLogger(logger, () => isAway),
    () => false,
  );
  const faults = createFaultLog(muted, TEXTS);
  faults.failed(new Error("no answer"));
  expect(messages()).toEqual([]);
  isAway = false;
  faults.failed(new Error("no answer"));
  faults.failed(new Error("no answer"));
  expect(messages()).toEqual([["no answer", TEXTS.failed]]);
});

test("faults that never repeat do not fill the log", () => {
  const { logger, messages } = logged();
  const faults = createFaultLog(logger, TEXTS);
  for (let fault = 0; fault < 100; fault++) faults.failed(new Error("fault ".concat("x".repeat(fault))));
  expect(messages()).toHaveLength(16);
});
