import { afterEach, expect, test } from "bun:test";
import { addTestDelivery, redeliver } from "@dueday/db/webhooks/changeDeliveries";
import { extendLeases, leaseWebhooks } from "@dueday/db/webhooks/leaseWebhooks";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture, SUBJECT } from "@dueday/worker/test/startWebhookFixture";

const HOUR_MS = 3_600_000;
const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const most = { steady: 10, doubtful: 10 };
const cleanUps: (() => Promise<void>)[] = [];
let chains = 2_000;
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A chain with a webhook that has a test to send. */
async function prepare() {
  const fixture = createWebhookFixture(testDatabase, ++chains);
  const receiver = await startReceiver();
  cleanUps.push(receiver.stop, fixture.stop);
  const webhook = await fixture.addWebhook(receiver);
  const addTest = (offsetMs = 0) =>
    addTestDelivery(
      database,
      { webhookId: webhook.id, eventId: "evt_test", type: "webhook.test" },
      new Date(fixture.clock.now + offsetMs),
    );
  return { ...fixture, receiver, webhook, addTest };
}

test.each([-HOUR_MS, -9_000, 9_000, HOUR_MS])(
  "a worker whose clock differs by %p ms leaves the live lease of another alone, and takes an expired one",
  async (offsetMs) => {
    const { clock, scope, webhook, addTest } = await prepare();
    await addTest(-HOUR_MS);
    const leaseAt = (workerId: string, now: number) =>
      leaseWebhooks(database, { workerId, leaseMs: 60_000 }, { contracts: [scope], most, now: new Date(now) });
    const setEnd = (seconds: number) =>
      database.sql`update webhooks set leased_until = clock_timestamp() + ${seconds}::float8 * interval '1 second'
        where id = ${webhook.id}`;
    const [holder, other] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await leaseAt(holder, clock.now)).toMatchObject([{ id: webhook.id }]);
    expect(await leaseAt(other, clock.now + offsetMs)).toEqual([]);
    await setEnd(0);
    expect(await leaseAt(other, clock.now + offsetMs)).toHaveLength(1);
    expect(await leaseAt(holder, clock.now)).toEqual([]);
    // One that ends an hour from now is of a time before the database's clock was set back: it delays no other delivery.
    await setEnd(3_600);
    expect(await leaseAt(holder, clock.now)).toHaveLength(1);
  },
);

test("extending a lease moves its end by the database's clock, and only for the worker that holds it", async () => {
  const { clock, scope, webhook, addTest } = await prepare();
  await addTest();
  const [holder, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const wanted = { contracts: [scope], most, now: new Date(clock.now) };
  expect(await leaseWebhooks(database, { workerId: holder, leaseMs: 1 }, wanted)).toHaveLength(1);
  await extendLeases(database, { workerId: holder, leaseMs: 60_000 }, [webhook.id]);
  await extendLeases(database, { workerId: other, leaseMs: -60_000 }, [webhook.id]);
  expect(await leaseWebhooks(database, { workerId: other, leaseMs: 60_000 }, wanted)).toEqual([]);
});

test("a test that succeeds does not end the five days without a success", async () => {
  const { append, start, attempted, find, webhook, receiver, addTest, clock } = await prepare();
  receiver.answer = (response, { seq }) => response.writeHead(seq === undefined ? 204 : 500).end();
  const delivery = start();
  await append(1);
  await attempted(1);
  await waitUntil("the failure to be noted", async () => (await find(webhook)).failingSince !== null);
  const { failingSince } = await find(webhook);
  clock.now += 1_000;
  await addTest();
  delivery.wake();
  await attempted(2);
  await append(1);
  await attempted(3);
  expect((await find(webhook)).failingSince).toEqual(failingSince);
  receiver.answer = (response) => response.writeHead(204).end();
  await append(1);
  await attempted(4);
  await waitUntil("the success to be noted", async () => (await find(webhook)).failingSince === null);
});

test.each([500, 204])(
  "a redelivery that is requested while an attempt is under way follows it, also where that one ends with %p",
  async (status) => {
    const { append, start, attempted, deliveries, webhook, receiver, clock, settled } = await prepare();
    const held: (() => void)[] = [];
    receiver.answer = (response) => void held.push(() => response.writeHead(status).end());
    const delivery = start();
    await append(1);
    await waitUntil("the first attempt", () => held.length === 1);
    const [{ id = 0 } = {}] = await deliveries(webhook);
    await redeliver(database, { id: webhook.id, subjectId: SUBJECT, deliveryId: id }, new Date(clock.now));
    receiver.answer = (response) => response.writeHead(204).end();
    held[0]?.();
    await attempted(1);
    delivery.wake();
    await attempted(2);
    await settled(webhook, 1);
    expect(receiver.received).toHaveLength(2);
    expect(await deliveries(webhook)).toMatchObject([{ state: "delivered", attempts: 1, requested: false }]);
  },
);

test("a webhook that is leased while its release is being confirmed is delivered to at once", async () => {
  const { append, start, settled, webhook, receiver } = await prepare();
  let leases = 0;
  let isHeld = false;
  const delivery = start({
    database: {
      ...database,
      async run(what, work) {
        const result = await database.run(what, work);
        if (what === "lease webhooks") leases++;
        if (what !== "release webhooks" || isHeld) return result;
        isHeld = true;
        const before = leases;
        await append(1);
        delivery.wake();
        await waitUntil("the next lease", () => leases > before + 1);
        return result;
      },
    },
  });
  await append(1);
  await settled(webhook, 2);
  expect(receiver.received.map(({ seq }) => seq)).toEqual([1, 2]);
});
