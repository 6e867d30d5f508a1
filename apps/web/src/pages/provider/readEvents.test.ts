import { expect, test } from "bun:test";
import { readEvents } from "./readEvents";

/** A service whose pages end at these seqs; a filter passes one event of each. */
function serviceWith(pages: number) {
  const asked: (number | undefined)[] = [];
  return {
    asked,
    // Only these fields are used of an answer.
    listEvents: async ({ after }: { after?: number | undefined } = {}) => {
      asked.push(after);
      const seq = (after ?? 0) + 1;
      return { events: seq % 2 === 0 ? [{ seq }] : [], nextAfter: seq, hasMore: seq < pages } as never;
    },
  };
}

const read = (service: ReturnType<typeof serviceWith>, after: number | null) =>
  readEvents(service, {}, after, { signal: new AbortController().signal });

test("reads on behind a page without events, to the newest one", async () => {
  const service = serviceWith(3);
  expect(await read(service, null)).toMatchObject({ events: [{ seq: 2 }], nextAfter: 3, hasMore: false });
  expect(service.asked).toEqual([undefined, 1, 2]);
});

test("ends after four requests with the place to go on from", async () => {
  const service = serviceWith(6);
  const { nextAfter, hasMore } = await read(service, null);
  expect([service.asked.length, nextAfter, hasMore]).toEqual([4, 4, true]);
  expect(await read(service, nextAfter)).toMatchObject({ events: [{ seq: 6 }], hasMore: false });
});
