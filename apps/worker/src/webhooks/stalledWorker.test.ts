import { afterEach, expect, test } from "bun:test";
import type { Database } from "@dueday/db/connectDatabase";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture } from "@dueday/worker/test/startWebhookFixture";

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const cleanUps: (() => Promise<void>)[] = [];
let chains = 5_000;
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function prepare() {
  const fixture = createWebhookFixture(testDatabase, ++chains);
  const receiver = await startReceiver();
  cleanUps.push(receiver.stop, fixture.stop);
  return { ...fixture, receiver, webhook: await fixture.addWebhook(receiver) };
}

test("of two workers one stalls between an answer and its record: the other goes on in order after the lease, and the first sends nothing more", async () => {
  const { append, start, receiver, webhook, settled } = await prepare();
  const { promise: stalled, resolve: goOn } = Promise.withResolvers<void>();
  let isStalled = false;
  const stalling: Database = {
    ...database,
    async run(what, work) {
      if (what === "record an attempt" && receiver.received.some(({ seq }) => seq === 3)) isStalled = true;
      if (isStalled) await stalled;
      return database.run(what, work);
    },
  };
  start({ database: stalling });
  await append(6);
  await waitUntil("the first worker to stall", () => isStalled);
  start();
  await waitUntil("the other worker to take over", () => receiver.received.some(({ seq }) => seq === 6));
  goOn();
  await append(2);
  await settled(webhook, 8);
  // What the stalled worker had sent is sent again, with the same id; nothing overtakes anything.
  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 2, 3, 3, 4, 5, 6, 7, 8]);
  expect(receiver.received[3]?.id).toBe(receiver.received[2]?.id ?? "");
});

test("while nothing is due, rounds write nothing, whatever webhooks there are", async () => {
  const { append, start, addWebhook, addUnconfirmed, receiver, webhook, settled, clock, scope, find } = await prepare();
  receiver.answer = (response, { seq }) => response.writeHead(seq === 2 ? 500 : 204).end();
  await addUnconfirmed(receiver);
  await addWebhook(receiver, { types: ["remit.due"] });
  let leases = 0;
  const counting: Database = {
    ...database,
    async run(what, work) {
      const result = await database.run(what, work);
      if (what === "lease webhooks") leases++;
      return result;
    },
  };
  const delivery = start({ database: counting });
  await append(2);
  await waitUntil("an attempt that failed", async () => (await find(webhook)).failures === 1);
  await waitUntil("the webhook to be given back", async () => (await find(webhook)).leasedBy === null);
  const versions = async () => [
    ...(await database.sql`select id, xmin::text from webhooks where chain_id = ${scope.chainId} order by id`),
    ...(await database.sql`select d.id, d.xmin::text from webhook_deliveries d join webhooks w on w.id = d.webhook_id
      where w.chain_id = ${scope.chainId} order by d.id`),
    ...(await database.sql`select target, xmin::text from webhook_targets order by target`),
  ];
  const before = await versions();
  const from = leases;
  while (leases < from + 20) {
    delivery.wake();
    const seen = leases;
    await waitUntil("the next round", () => leases > seen);
  }
  expect(await versions()).toEqual(before);
  receiver.answer = (response) => response.writeHead(204).end();
  clock.now += 5_000;
  delivery.wake();
  await settled(webhook, 2);
});
