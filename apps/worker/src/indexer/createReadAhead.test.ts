import { expect, test } from "bun:test";
import { createReadAhead } from "./createReadAhead";

/** Steps that end when the test lets them; a result is the number of its step, and its size. */
function startSteps({ steps, inFlight = 3, mostWaiting = 100 }: Record<string, number> & { steps: number }) {
  const begun: PromiseWithResolvers<number>[] = [];
  const ahead = createReadAhead<number>({
    begin() {
      if (begun.length === steps) return null;
      const step = Promise.withResolvers<number>();
      begun.push(step);
      return step.promise;
    },
    sizeOf: (result) => result,
    inFlight,
    mostWaiting,
  });
  /** Ends steps, and waits for what follows from that. */
  async function end(...numbers: number[]): Promise<void> {
    for (const number of numbers) begun[number - 1]?.resolve(number);
    await new Promise(setImmediate);
  }
  return { ahead, begun, end };
}

test("results come in the order of their steps, those that have arrived together", async () => {
  const { ahead, end } = startSteps({ steps: 5 });
  const first = ahead.next(100);
  await end(2, 3);
  await end(1);
  expect(await first).toEqual([1, 2, 3]);
  await end(5, 4);
  expect(await ahead.next(100)).toEqual([4, 5]);
  expect(await ahead.next(100)).toEqual([]);
});

test("not more than asked for in size, and at least one", async () => {
  const { ahead, end } = startSteps({ steps: 3 });
  const first = ahead.next(0);
  await end(1, 2, 3);
  expect(await first).toEqual([1]);
  expect(await ahead.next(4)).toEqual([2]);
  expect(await ahead.next(4)).toEqual([3]);
});

test("steps go on while results are used, as many at a time as allowed, until enough wait", async () => {
  const { ahead, begun, end } = startSteps({ steps: 9, inFlight: 2, mostWaiting: 5 });
  const first = ahead.next(100);
  expect(begun).toHaveLength(2);
  await end(1);
  await first;
  expect(begun).toHaveLength(3);
  await end(2, 3);
  // 5 wait: one more batch may begin.
  expect(begun).toHaveLength(5);
  await end(4, 5);
  expect(begun).toHaveLength(5);
  expect(await ahead.next(100)).toEqual([2, 3, 4, 5]);
  const next = ahead.next(100);
  expect(begun).toHaveLength(7);
  await end(7, 6);
  expect(await next).toEqual([6, 7]);
});

test("a failure is thrown in its turn, and nothing begins after it", async () => {
  const { ahead, begun, end } = startSteps({ steps: 9, inFlight: 2 });
  const first = ahead.next(100);
  begun[1]?.reject(new Error("the second step"));
  await end(1);
  expect(await first).toEqual([1]);
  expect(begun).toHaveLength(2);
  await expect(ahead.next(100)).rejects.toThrow("the second step");
});

test("it is ready when the first result is there, when it has failed, and at the end", async () => {
  const { ahead, begun, end } = startSteps({ steps: 2, inFlight: 2 });
  const settled: string[] = [];
  const first = ahead.ready().then(() => settled.push("ready"));
  await end(2);
  expect(settled).toEqual([]);
  await end(1);
  await first;
  expect(await ahead.next(100)).toEqual([1, 2]);
  await ahead.ready();
  expect(await ahead.next(100)).toEqual([]);
  const failing = startSteps({ steps: 1 });
  const ready = failing.ahead.ready();
  failing.begun[0]?.reject(new Error("the only step"));
  await ready;
  await expect(failing.ahead.next(100)).rejects.toThrow("the only step");
  expect(begun).toHaveLength(2);
});
