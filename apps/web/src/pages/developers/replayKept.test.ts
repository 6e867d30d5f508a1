import { expect, mock, test } from "bun:test";
import { replayKept } from "./replayKept";

/** A service that keeps the events from this seq on; null before the first event. */
function serviceFrom(seq: number | null) {
  // Only these fields are used of an answer.
  const listEvents = mock(async () => ({ events: seq === null ? [] : [{ seq }] }) as never);
  return { listEvents, replayWebhook: mock(async () => ({}) as never) };
}

test.each<[number | null, number]>([
  [41, 40],
  [1, 0],
  [null, 0],
])("where the oldest kept event is %p, all are sent after %d", async (oldest, after) => {
  const service = serviceFrom(oldest);
  await replayKept(service, { id: "hook", chainId: 31337 });
  expect(service.listEvents.mock.calls).toEqual([[{ first: 1 }, { chainId: 31337 }]] as never);
  expect(service.replayWebhook.mock.calls).toEqual([[{ id: "hook", after }]] as never);
});
