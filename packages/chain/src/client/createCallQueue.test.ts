import { expect, test } from "bun:test";
import { createCallQueue } from "./createCallQueue";
import { priorities, type RpcPurpose } from "./rpcPurpose";

type Item = { priority: number; purpose: RpcPurpose };

function filled(purposes: readonly RpcPurpose[], each: number) {
  const queue = createCallQueue<Item>();
  for (const purpose of purposes) {
    for (let count = 0; count < each; count++) queue.add({ purpose, priority: priorities[purpose] });
  }
  return queue;
}

test("live calls leave before the logs of new blocks, those before scans, and scans before a backfill", () => {
  const queue = filled(["backfill", "scan", "logs", "live"], 2);
  const order: RpcPurpose[] = [];
  while (queue.size() > 1) {
    order.push(
      ...queue
        .next(
          () => true,
          () => false,
        )
        .map(({ purpose }) => purpose),
    );
  }
  expect(order).toEqual(["live", "live", "logs", "logs", "scan", "scan", "backfill"]);
});

const lower: RpcPurpose[][] = [["backfill"], ["logs", "scan", "backfill"]];
test.each(lower.map((purposes) => [purposes]))(
  "one turn of eight goes to the lower priorities that wait, in turn: %p",
  (waiting) => {
    const queue = filled(["live", ...waiting], 100);
    const first = Array.from({ length: 96 }, () =>
      queue.next(
        () => true,
        () => false,
      ),
    ).flat();
    for (const each of waiting)
      expect(first.filter(({ purpose }) => purpose === each)).toHaveLength(12 / waiting.length);
  },
);

test("a call that joins has the priority of the first", () => {
  const queue = filled(["live", "scan"], 3);
  const taken = queue.next(
    () => true,
    () => true,
  );
  expect(taken.map(({ purpose }) => purpose)).toEqual(["live", "live", "live"]);
});

test("more calls of one priority than may wait are refused, and others are not", () => {
  const queue = filled(["backfill"], 10_000);
  expect(queue.add({ purpose: "backfill", priority: priorities.backfill })).toBe(false);
  expect(queue.add({ purpose: "live", priority: priorities.live })).toBe(true);
});
