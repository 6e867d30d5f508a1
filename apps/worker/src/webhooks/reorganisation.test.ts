import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { retractEventsAbove } from "@dueday/db/outbox/retractEvents";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture } from "@dueday/worker/test/startWebhookFixture";

setDefaultTimeout(120_000);

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const { scope, addWebhook, start, stop, deliveries, settled } = createWebhookFixture(testDatabase, 6_000);
const receiver = await startReceiver();
afterAll(async () => {
  await stop();
  await receiver.stop();
});

/** Each writes 10 events, one a block, of which the next reorganisation takes 6 away and brings 4 back. */
const ROUNDS = 12;
const [WRITTEN, KEPT, BACK] = [10, 4, 4];

test("through reorganisations, with two workers and blocks that return, each event and each retraction is sent once, in order, under an id of its own", async () => {
  const webhook = await addWebhook(receiver);
  let block = 1;
  for (const _ of [1, 2]) start();
  for (let round = 0; round < ROUNDS; round++) {
    await appendTestEvents(database, scope, { first: block, count: WRITTEN });
    const forkAt = block + KEPT - 1;
    // In the middle of the deliveries.
    const before = receiver.received.length;
    await waitUntil("a delivery", () => receiver.received.length > before);
    await database.sql.begin((sql) => retractEventsAbove(sql, scope, { block: forkAt, now: new Date() }));
    // The same blocks, so the same events under the same ids.
    await appendTestEvents(database, scope, { first: forkAt + 1, count: BACK });
    block = forkAt + BACK + 1;
  }
  const total = ROUNDS * (WRITTEN + (WRITTEN - KEPT) + BACK);
  await settled(webhook, total);
  expect(receiver.received.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(total);
  expect(await deliveries(webhook)).toHaveLength(total);
  // What a receiver holds that obeys the retractions.
  const held = new Set<string>();
  for (const { body } of receiver.received) {
    const { id, type, data } = JSON.parse(body);
    if (type === "event.retracted") expect(held.delete(data.id)).toBe(true);
    else {
      expect(held.has(id)).toBe(false);
      held.add(id);
    }
  }
  const kept = await database.sql<{ id: string }[]>`select id from outbox where chain_id = ${scope.chainId}
    and contract = ${scope.contract} and type <> 'event.retracted' and not retracted`;
  expect([...held].sort()).toEqual(kept.map(({ id }) => id).sort());
});
