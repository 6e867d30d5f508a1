import { expect, test } from "bun:test";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { createProofQueue } from "./createProofQueue";

test("requests that wait together are one, of the highest block, and a scan where one of them asks for it", () => {
  const queue = createProofQueue(1_000);
  queue.add({ atLeastBlock: 7n, rescan: true });
  queue.add({ atLeastBlock: 5n, rescan: false });
  expect(queue.take(6n)).toBeNull();
  expect(queue.take(7n)).toEqual({ atLeastBlock: 7n, rescan: true });
  expect(queue.take(7n)).toBeNull();
});

test("the second one waits for the pause after the first, and not for another block", async () => {
  const queue = createProofQueue(50);
  queue.add({ atLeastBlock: 1n, rescan: false });
  queue.take(1n);
  expect(queue.waitMs(1n)).toBeNull();
  queue.add({ atLeastBlock: 1n, rescan: false });
  expect(queue.waitMs(0n)).toBeNull();
  expect(queue.waitMs(1n)).toBeLessThanOrEqual(50);
  await waitUntil("the pause to be over", () => queue.waitMs(1n) === 0);
  expect(queue.take(1n)).toEqual({ atLeastBlock: 1n, rescan: false });
});
