import { expect, test } from "bun:test";
import { createBatchSize } from "./createBatchSize";

function learn(cap: number) {
  let now = 0;
  const size = createBatchSize({ clock: () => now });
  const refusedAt: number[] = [];
  const send = () => {
    const calls = size.current();
    if (calls <= cap) size.accept(calls);
    else {
      size.refuse(calls);
      refusedAt.push(now);
    }
  };
  return {
    size,
    refusedAt,
    /** Sends a full batch each second. */
    run(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        now += 1_000;
        send();
      }
    },
  };
}

test.each([1, 2, 5, 10, 20, 49])(
  "a node that takes %p calls in a batch gets at most that many after six refusals",
  (cap) => {
    const node = learn(cap);
    node.run(10);
    expect(node.refusedAt.length).toBeLessThanOrEqual(6);
    expect(node.size.current()).toBeLessThanOrEqual(cap);
    expect(node.size.current()).toBeGreaterThanOrEqual(Math.max(1, Math.floor(cap / 3)));
  },
);

test("the size is raised again slowly, and less often each time that this was refused", () => {
  const node = learn(10);
  node.run(4 * 3_600);
  expect(node.size.current()).toBeLessThanOrEqual(15);
  const later = node.refusedAt.filter((at) => at > 60_000);
  expect(later.length).toBeGreaterThan(1);
  expect(later.length).toBeLessThan(15);
});

test("a node that takes any batch again gets full ones within half an hour", () => {
  let now = 0;
  const size = createBatchSize({ clock: () => now });
  for (let calls = 50; calls > 1; calls = size.current()) size.refuse(calls);
  expect(size.current()).toBe(1);
  for (; now < 1_800_000; now += 1_000) size.accept(size.current());
  expect(size.current()).toBe(50);
});

test("a size that a refusal states is taken at once, and exceeded again after half an hour at the earliest", () => {
  let now = 0;
  const size = createBatchSize({ clock: () => now });
  size.refuse(50, 10);
  expect(size.current()).toBe(10);
  for (; now < 1_700_000; now += 1_000) size.accept(size.current());
  expect(size.current()).toBe(10);
});

test("a stated size that is not below what was refused is not believed", () => {
  const size = createBatchSize({ clock: () => 0 });
  size.refuse(50, 50);
  expect(size.current()).toBe(25);
});

test("a refusal of a batch that was sent before the size fell changes nothing", () => {
  const size = createBatchSize({ clock: () => 0 });
  size.refuse(50);
  expect(size.current()).toBe(25);
  size.refuse(50);
  expect(size.current()).toBe(25);
});
