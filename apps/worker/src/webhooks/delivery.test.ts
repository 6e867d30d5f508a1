import { afterEach, describe, expect, test } from "bun:test";
import { pruneOutbox } from "@dueday/db/outbox/pruneOutbox";
import { hex } from "@dueday/db/test/smallIndex";
import { addTestDelivery, redeliver, replayWebhook } from "@dueday/db/webhooks/changeDeliveries";
import { fanOutEvents } from "@dueday/db/webhooks/fanOutEvents";
import { leaseWebhooks } from "@dueday/db/webhooks/leaseWebhooks";
import { pruneDeliveries } from "@dueday/db/webhooks/pruneDeliveries";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { rotateWebhookSecret, updateWebhook } from "@dueday/db/webhooks/storeWebhook";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Receiver, startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture, SUBJECT } from "@dueday/worker/test/startWebhookFixture";
import { Webhook } from "standardwebhooks";
import { RETRY_PAUSES_MS } from "./retrySchedule";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const cleanUps: (() => Promise<void>)[] = [];
let chains = 1_000;
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Each test has its own chain. */
function prepare() {
  const fixture = createWebhookFixture(testDatabase, ++chains);
  cleanUps.push(fixture.stop);
  return fixture;
}

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  cleanUps.push(receiver.stop);
  return receiver;
}

const seqsOf = ({ received }: Receiver) => received.map(({ seq }) => Number(seq));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("each event arrives once, in order, as the outbox has it, and verifies with the specification's library", async () => {
  const { append, addWebhook, start, settled, scope } = prepare();
  const receiver = await receive();
  await append(2);
  const webhook = await addWebhook(receiver);
  start();
  for (let part = 0; part < 4; part++) await append(10);
  await settled(webhook, 40);
  expect(seqsOf(receiver)).toEqual(range(3, 42));
  expect(receiver.received.filter(({ verified }) => !verified)).toEqual([]);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40);
  const rows = await database.sql`select body from outbox where chain_id = ${scope.chainId} and seq > 2 order by seq`;
  expect(receiver.received.map(({ body }) => body)).toEqual(rows.map(({ body }) => body));
  expect(receiver.received[0]?.headers).toMatchObject({ "content-type": "application/json" });
});

test("a webhook gets the events alone that its types and filter pass", async () => {
  const { append, addWebhook, start, settled } = prepare();
  const [all, some, none] = [await receive(), await receive(), await receive()];
  const webhook = await addWebhook(all, { types: ["payment.paid"] });
  // The subscriber of every tenth test event.
  const filtered = await addWebhook(some, { subscriber: hex(103, 20), provider: hex(1, 20) });
  const other = await addWebhook(none, { types: ["remit.due"] });
  start();
  await append(30);
  await settled(webhook, 30);
  await settled(filtered, 3);
  expect([seqsOf(all), seqsOf(some), seqsOf(none)]).toEqual([range(1, 30), [3, 13, 23], []]);
  await settled(other, 0);
});

/** What an endpoint may do with an event, and the failure that it is recorded as. */
const faults: [name: string, failure: string, answer: Receiver["answer"]][] = [
  ["500", "STATUS", (respond) => respond.writeHead(500).end("out of order\u0000\u202e")],
  ["a redirect", "REDIRECT", (respond) => respond.writeHead(302, { Location: "http://127.0.0.1:1/" }).end()],
  ["a reset", "CONNECTION", (respond) => respond.socket?.destroy()],
  [
    "a response that breaks off",
    "CONNECTION",
    (respond) => respond.writeHead(200, { "Content-Length": "9" }).write("a", () => respond.socket?.destroy()),
  ],
  ["no response", "TIMEOUT", () => {}],
  ["a response that does not end", "TIMEOUT", (respond) => void respond.writeHead(200).write("more")],
];

describe("an event that its endpoint does not take is retried, and holds up no later one:", () => {
  test.each(faults)("%s", async (_name, failure, answer) => {
    const { append, addWebhook, start, attempted, deliveries, clock, settled, find } = prepare();
    const receiver = await receive();
    const webhook = await addWebhook(receiver);
    receiver.answer = (response, received) =>
      received.seq === 2 ? answer(response, received) : response.writeHead(204).end();
    const delivery = start({ timeoutMs: failure === "TIMEOUT" ? 3_000 : 20_000 });
    await append(3);
    await attempted(3);
    expect(seqsOf(receiver)).toEqual([1, 2, 3]);
    const [, failed] = await deliveries(webhook);
    expect(failed).toMatchObject({ seq: 2, state: "pending", attempts: 1, failure });
    expect(failed?.nextAttemptAt).toEqual(new Date(clock.now + 5_000));
    if (failure === "STATUS")
      expect(failed).toMatchObject({ responseStatus: 500, responseBody: "out of order\ufffd\ufffd" });
    receiver.answer = (response) => response.writeHead(200).end("thanks");
    clock.now += 5_000;
    delivery.wake();
    await settled(webhook, 3);
    expect(seqsOf(receiver)).toEqual([1, 2, 3, 2]);
    expect(receiver.received[3]?.id).toBe(receiver.received[1]?.id ?? "");
    expect((await deliveries(webhook))[1]).toMatchObject({
      state: "delivered",
      attempts: 2,
      failure: null,
      responseBody: "thanks",
    });
    // Noted after the attempt.
    await waitUntil("the success to be noted", async () => (await find(webhook)).failingSince === null);
  });
});

test("of an answer of 10 MB the beginning is read, and it counts by its status", async () => {
  const { append, addWebhook, start, settled, deliveries } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  let sent = 0;
  receiver.answer = (response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(64 * 1024, "a");
    const write = () => {
      while (sent < 10 * 1024 * 1024 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  };
  start();
  await append(1);
  await settled(webhook, 1);
  const [delivery] = await deliveries(webhook);
  expect(delivery).toMatchObject({ state: "delivered", responseStatus: 200, responseBody: "a".repeat(1_024) });
  expect(sent).toBeLessThan(10 * 1024 * 1024);
});

test.each([0, 1])(
  "the pauses between attempts are those of the schedule, with jitter %p; after the tenth a delivery has failed",
  async (random) => {
    const { append, addWebhook, start, attempted, deliveries, clock } = prepare();
    const [receiver, probed] = [await receive(), await receive()];
    const webhook = await addWebhook(receiver);
    const probe = await addWebhook(probed, { types: ["remit.due"] });
    receiver.answer = (response) => response.writeHead(503).end();
    const delivery = start({ random: () => random });
    await append(1);
    for (const [index, pauseMs] of RETRY_PAUSES_MS.entries()) {
      await attempted(2 * index + 1);
      const dueAt = clock.now + pauseMs * (1 + random / 10);
      expect(await deliveries(webhook)).toMatchObject([{ attempts: index + 1, nextAttemptAt: new Date(dueAt) }]);
      // Not a moment earlier: whatever is due is sent then, as the probe shows.
      clock.now = dueAt - 1;
      await addTestDelivery(
        database,
        { webhookId: probe.id, eventId: `evt_${index}`, type: "webhook.test" },
        new Date(clock.now),
      );
      delivery.wake();
      await attempted(2 * index + 2);
      expect([probed.received.length, receiver.received.length]).toEqual([index + 1, index + 1]);
      clock.now = dueAt;
      delivery.wake();
    }
    await waitUntil("the last attempt", async () =>
      (await deliveries(webhook)).some(({ state }) => state === "failed"),
    );
    expect(await deliveries(webhook)).toMatchObject([{ attempts: 10, nextAttemptAt: null, failure: "STATUS" }]);
    expect(receiver.received).toHaveLength(10);
  },
);

describe("a webhook is disabled", () => {
  test("at once by 410; enabled again, it continues with everything that happened meanwhile", async () => {
    const { append, addWebhook, start, attempted, find, clock, settled } = prepare();
    const receiver = await receive();
    const webhook = await addWebhook(receiver);
    receiver.answer = (response) => response.writeHead(410).end();
    await append(2);
    const delivery = start();
    await attempted(1);
    await waitUntil("it to be disabled", async () => !(await find(webhook)).enabled);
    expect(await find(webhook)).toMatchObject({ disabledReason: "gone", disabledAt: new Date(clock.now), afterSeq: 2 });
    await append(3);
    receiver.answer = (response) => response.writeHead(204).end();
    clock.now += HOUR_MS;
    await updateWebhook(database, { id: webhook.id, subjectId: SUBJECT }, { enabled: true }, new Date(clock.now));
    delivery.wake();
    await settled(webhook, 5);
    expect(seqsOf(receiver).toSorted()).toEqual([1, 1, 2, 3, 4, 5]);
    expect(await find(webhook)).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
  });

  test("after five days without a success, and not while one comes now and then", async () => {
    const { append, addWebhook, start, attempted, find, clock } = prepare();
    const receiver = await receive();
    const webhook = await addWebhook(receiver);
    const delivery = start();
    const day = async (status: number, count: number) => {
      receiver.answer = (response) => response.writeHead(status).end();
      await append(1);
      delivery.wake();
      await attempted(count);
    };
    let all = 0;
    for (const status of [500, 500, 500, 500, 204, 500, 500, 500, 500, 500]) {
      await database.sql`delete from webhook_deliveries where webhook_id = ${webhook.id}`;
      await day(status, ++all);
      await waitUntil(
        "the result to be noted",
        async () => ((await find(webhook)).failingSince === null) === (status === 204),
      );
      expect((await find(webhook)).enabled).toBe(true);
      clock.now += DAY_MS;
    }
    await database.sql`delete from webhook_deliveries where webhook_id = ${webhook.id}`;
    await day(500, ++all);
    await waitUntil("it to be disabled", async () => !(await find(webhook)).enabled);
    expect(await find(webhook)).toMatchObject({ disabledReason: "failing" });
  });
});

test("an endpoint that answers slowly keeps its order, and delays no other", async () => {
  const { append, addWebhook, start, settled } = prepare();
  const [slow, quick] = [await receive(), await receive()];
  const held: (() => void)[] = [];
  slow.answer = (response) => void held.push(() => response.writeHead(204).end());
  const [slowWebhook, quickWebhook] = [await addWebhook(slow), await addWebhook(quick)];
  start();
  await append(20);
  await settled(quickWebhook, 20);
  expect(seqsOf(quick)).toEqual(range(1, 20));
  expect(seqsOf(slow)).toEqual([1]);
  slow.answer = (response) => response.writeHead(204).end();
  held[0]?.();
  await settled(slowWebhook, 20);
  expect(seqsOf(slow)).toEqual(range(1, 20));
});

test("a backlog of more than a page arrives in order", async () => {
  const { append, addWebhook, start, attempted, settled } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  await append(1_100);
  start();
  // Costs nothing while it waits, unlike a look at all deliveries.
  await attempted(1_100);
  await settled(webhook, 1_100);
  expect(seqsOf(receiver)).toEqual(range(1, 1_100));
});

describe("several workers", () => {
  test("share the webhooks, and each event arrives once and in order", async () => {
    const { append, addWebhook, start, settled } = prepare();
    const receivers = await Promise.all(Array.from({ length: 6 }, receive));
    const webhooks = [];
    for (const receiver of receivers) webhooks.push(await addWebhook(receiver));
    for (let worker = 0; worker < 3; worker++) start();
    for (let part = 0; part < 10; part++) await append(10);
    for (const webhook of webhooks) await settled(webhook, 100);
    for (const receiver of receivers) expect(seqsOf(receiver)).toEqual(range(1, 100));
  });

  test("wait while another holds a webhook, and take it over when the lease of a dead one has expired", async () => {
    const { append, addWebhook, start, settled, clock, scope } = prepare();
    const [receiver, probed] = [await receive(), await receive()];
    const webhook = await addWebhook(receiver);
    await addTestDelivery(
      database,
      { webhookId: webhook.id, eventId: "evt_0", type: "webhook.test" },
      new Date(clock.now),
    );
    const dead = { workerId: crypto.randomUUID(), leaseMs: 60_000 };
    const wanted = { contracts: [scope], most: { steady: 10, doubtful: 10 }, now: new Date(clock.now) };
    expect(await leaseWebhooks(database, dead, wanted)).toMatchObject([{ id: webhook.id }]);
    const probe = await addWebhook(probed);
    const delivery = start();
    await append(2);
    await settled(probe, 2);
    expect(receiver.received).toEqual([]);
    await database.sql`update webhooks set leased_until = clock_timestamp() where id = ${webhook.id}`;
    delivery.wake();
    await settled(webhook, 3);
    expect(receiver.received.map(({ type }) => type)).toEqual(["webhook.test", "payment.paid", "payment.paid"]);
  });

  test("a stop gives webhooks back at once, and its attempt under way is made again by another", async () => {
    const { append, addWebhook, start, settled, attempts } = prepare();
    const receiver = await receive();
    const webhook = await addWebhook(receiver);
    receiver.answer = () => {};
    const first = start();
    await append(1);
    await waitUntil("the first attempt", () => receiver.received.length === 1);
    await first.stop();
    expect(attempts).toEqual([]);
    receiver.answer = (response) => response.writeHead(204).end();
    start();
    await settled(webhook, 1);
    expect(receiver.received.map(({ id }) => id)).toEqual([
      receiver.received[0]?.id ?? "",
      receiver.received[0]?.id ?? "",
    ]);
  });
});

test("for 24 hours after a rotation both secrets verify, then the new one alone", async () => {
  const { append, addWebhook, start, settled, clock, box } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  const fresh = `whsec_${Buffer.from("a new secret of many bytes, for tests").toString("base64")}`;
  const previousUntil = new Date(clock.now + DAY_MS);
  const rotation = { secret: box.seal(fresh, webhook.id), previousUntil, now: new Date(clock.now) };
  await rotateWebhookSecret(database, { id: webhook.id, subjectId: SUBJECT }, rotation);
  start();
  await append(1);
  await settled(webhook, 1);
  clock.now += DAY_MS;
  await append(1);
  await settled(webhook, 2);
  const signatures = receiver.received.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length);
  expect(signatures).toEqual([2, 1]);
  expect(receiver.received[0]?.verified).toBe(true);
  const [, late] = receiver.received;
  const sentAt = new Date(Number(late?.headers["webhook-timestamp"]) * 1000);
  expect(String(late?.headers["webhook-signature"])).toBe(
    new Webhook(fresh).sign(late?.id ?? "", sentAt, late?.body ?? ""),
  );
});

test("a replay sends the events after a seq again, in order, each with its webhook-id", async () => {
  const { append, addWebhook, start, settled, clock, deliveries } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  const delivery = start();
  await append(5);
  await settled(webhook, 5);
  expect(await replayWebhook(database, webhook, { after: 2, now: new Date(clock.now) })).toMatchObject({ moved: true });
  delivery.wake();
  await settled(webhook, 8);
  expect(seqsOf(receiver)).toEqual([1, 2, 3, 4, 5, 3, 4, 5]);
  const ids = receiver.received.map(({ id }) => id);
  expect(ids.slice(5)).toEqual(ids.slice(2, 5));
  expect((await deliveries(webhook)).every(({ state }) => state === "delivered")).toBe(true);
});

test("repeated replays pile up no replaced deliveries, and the last one still sends its events", async () => {
  const { append, addWebhook, settled, clock, deliveries, start, scope } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  await append(600);
  for (let replay = 0; replay < 6; replay++) {
    await fanOutEvents(database, scope, new Date(clock.now));
    await replayWebhook(database, webhook, { after: 0, now: new Date(clock.now) });
  }
  const replaced = async () => (await deliveries(webhook)).filter(({ state }) => state === "replaced").length;
  // The newest 1,000 of earlier replays, and the 600 of the last.
  expect(await replaced()).toBe(1_600);
  await replayWebhook(database, webhook, { after: 590, now: new Date(clock.now) });
  expect(await replaced()).toBe(1_000);
  start();
  await settled(webhook, 1_010);
  expect(seqsOf(receiver)).toEqual(range(591, 600));
});

test("while it is disabled a webhook gets tests and redeliveries, once each, and nothing else", async () => {
  const { append, addWebhook, start, settled, clock, deliveries, attempted, find } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  const delivery = start();
  await append(1);
  await settled(webhook, 1);
  const owned = { id: webhook.id, subjectId: SUBJECT };
  await updateWebhook(database, owned, { enabled: false }, new Date(clock.now));
  await append(1);
  receiver.answer = (response) => response.writeHead(410).end();
  const [sent] = await deliveries(webhook);
  await redeliver(database, { ...owned, deliveryId: sent?.id ?? 0 }, new Date(clock.now));
  await addTestDelivery(
    database,
    { webhookId: webhook.id, eventId: "evt_test", type: "webhook.test" },
    new Date(clock.now),
  );
  delivery.wake();
  await attempted(3);
  expect(receiver.received.map(({ type }) => type)).toEqual(["payment.paid", "payment.paid", "webhook.test"]);
  const test = JSON.parse(receiver.received[2]?.body ?? "");
  expect(test).toEqual({
    id: "evt_test",
    type: "webhook.test",
    chainId: webhook.chainId,
    timestamp: expect.any(String),
    data: { webhookId: webhook.id },
  });
  expect(receiver.received[2]?.verified).toBe(true);
  expect((await deliveries(webhook))[0]).toMatchObject({ state: "failed", failure: "GONE", attempts: 1 });
  expect(await find(webhook)).toMatchObject({ enabled: false, disabledReason: "owner", afterSeq: 1 });
});

test("a secret that can't be decrypted is a failure that names the remedy, and nothing is sent unsigned", async () => {
  const { append, addWebhook, start, attempted, deliveries } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  start({ box: createSecretBox("cd".repeat(32)) });
  await append(1);
  await attempted(1);
  expect(await deliveries(webhook)).toMatchObject([{ state: "pending", failure: "SECRET_UNREADABLE" }]);
  expect(receiver.received).toEqual([]);
});

test("an event that was pruned is not sent, and deliveries are pruned with their events", async () => {
  const { append, addWebhook, start, deliveries, scope, clock, attempted } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  receiver.answer = (response) => response.writeHead(500).end();
  const delivery = start();
  await append(1);
  await attempted(1);
  await pruneOutbox(database, scope, new Date(Date.now() + HOUR_MS));
  clock.now += 10_000;
  delivery.wake();
  await attempted(2);
  expect(await deliveries(webhook)).toMatchObject([{ state: "failed", failure: "EVENT_GONE" }]);
  expect(receiver.received).toHaveLength(1);
  await pruneDeliveries(database, new Date(clock.now - 20_000));
  expect(await deliveries(webhook)).toHaveLength(1);
  await pruneDeliveries(database, new Date(clock.now));
  expect(await deliveries(webhook)).toEqual([]);
});

test("a clock that was set far ahead and back leaves no delivery waiting for years", async () => {
  const { append, addWebhook, start, attempted, settled, clock } = prepare();
  const receiver = await receive();
  const webhook = await addWebhook(receiver);
  receiver.answer = (response) => response.writeHead(500).end();
  const delivery = start();
  const now = clock.now;
  clock.now += 400 * DAY_MS;
  await append(1);
  await attempted(1);
  clock.now = now;
  receiver.answer = (response) => response.writeHead(204).end();
  delivery.wake();
  await settled(webhook, 1);
  expect(seqsOf(receiver)).toEqual([1, 1]);
});
