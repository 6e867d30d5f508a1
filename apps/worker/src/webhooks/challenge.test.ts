import { afterEach, expect, test } from "bun:test";
import { addChallenge } from "@dueday/db/webhooks/changeDeliveries";
import { updateWebhook, type Webhook } from "@dueday/db/webhooks/storeWebhook";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Receiver, startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture, SUBJECT } from "@dueday/worker/test/startWebhookFixture";

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const cleanUps: (() => Promise<void>)[] = [];
let chains = 3_000;
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A new webhook, its endpoint, and a worker's delivery. */
async function prepare() {
  const fixture = createWebhookFixture(testDatabase, ++chains);
  const receiver = await startReceiver();
  cleanUps.push(receiver.stop, fixture.stop);
  const webhook = await fixture.addUnconfirmed(receiver);
  const delivery = fixture.start();
  let sent = 0;
  /** Sends a challenge, and waits for its result. */
  async function challenge() {
    const event = { webhookId: webhook.id, eventId: `evt_${++sent}` };
    await addChallenge(database, event, { most: 100, windowMs: 1_000, now: new Date(fixture.clock.now) });
    delivery.wake();
    await fixture.attempted(sent);
    return (await fixture.deliveries(webhook)).find(({ type }) => type === "webhook.challenge");
  }
  return { ...fixture, receiver, webhook, delivery, challenge };
}

const challengeIn = ({ body }: { body: string }): string => JSON.parse(body).data.challenge;
const rightAnswer: Receiver["answer"] = (response, received) => response.end(challengeIn(received));

test("an endpoint whose whole answer is the challenge is enabled, and receives all events since the webhook was created", async () => {
  const { append, receiver, webhook, challenge, find, settled } = await prepare();
  await append(3);
  receiver.answer = (response, received) =>
    received.type === "webhook.challenge" ? rightAnswer(response, received) : response.writeHead(204).end();
  expect(await challenge()).toMatchObject({ type: "webhook.challenge", state: "delivered", failure: null });
  await waitUntil("it to be enabled", async () => (await find(webhook)).enabled);
  expect(await find(webhook)).toMatchObject({ disabledReason: null, disabledAt: null });
  await settled(webhook, 4);
  expect(receiver.received.map(({ type, seq }) => [type, seq])).toEqual([
    ["webhook.challenge", undefined],
    ["payment.paid", 1],
    ["payment.paid", 2],
    ["payment.paid", 3],
  ]);
  expect(receiver.received.every(({ verified }) => verified)).toBe(true);
});

test.each<[name: string, failure: string, answer: Receiver["answer"]]>([
  ["nothing", "CHALLENGE", (response) => response.writeHead(204).end()],
  ["its own body", "CHALLENGE", (response, { body }) => response.end(body)],
  ["the challenge and more", "CHALLENGE", (response, received) => response.end(`${challengeIn(received)} ok`)],
  ["the challenge as JSON", "CHALLENGE", (response, received) => response.end(JSON.stringify(challengeIn(received)))],
  ["the id of the event", "CHALLENGE", (response, { body }) => response.end(JSON.parse(body).id)],
  ["the challenge with an error", "STATUS", (response, received) => response.writeHead(400).end(challengeIn(received))],
  ["a redirect", "REDIRECT", (response) => response.writeHead(302, { Location: "/other" }).end()],
])(
  "an endpoint that answers a challenge with %s gets one request, and nothing after it",
  async (_, failure, answer) => {
    const { append, receiver, webhook, challenge, find, clock, delivery, deliveries } = await prepare();
    receiver.answer = answer;
    await append(3);
    expect(await challenge()).toMatchObject({ state: "failed", failure, attempts: 1, nextAttemptAt: null });
    // Time passes, and a second challenge is the next thing that it gets.
    clock.now += 3_600_000;
    delivery.wake();
    await challenge();
    expect(receiver.received.map(({ type }) => type)).toEqual(["webhook.challenge", "webhook.challenge"]);
    expect(await find(webhook)).toMatchObject({ enabled: false, confirmedAt: null, disabledReason: "challenge" });
    expect((await deliveries(webhook)).filter(({ seq }) => seq !== null)).toEqual([]);
  },
);

test("each challenge is another text, which neither the database nor the delivery's event id has", async () => {
  const { receiver, challenge } = await prepare();
  receiver.answer = (response) => response.writeHead(500).end();
  for (let count = 0; count < 5; count++) await challenge();
  const texts = receiver.received.map(challengeIn);
  expect(new Set(texts).size).toBe(5);
  for (const text of texts) expect(text).toMatch(/^[\w-]{32}$/);
  const stored = JSON.stringify([
    await database.sql`select * from webhooks`,
    await database.sql`select * from webhook_deliveries`,
  ]);
  for (const text of texts) expect(stored).not.toContain(text);
});

test("an answer to a challenge of the URL before does not enable the present one", async () => {
  const { receiver, webhook, challenge, find, clock } = await prepare();
  const owned = { id: webhook.id, subjectId: SUBJECT };
  let moved: Promise<unknown> = Promise.resolve();
  receiver.answer = (response, received) => {
    moved = updateWebhook(database, owned, { url: `${receiver.url}/moved` }, new Date(clock.now)).then(() =>
      rightAnswer(response, received),
    );
  };
  expect(await challenge()).toMatchObject({ state: "delivered" });
  await moved;
  expect(await find(webhook)).toMatchObject({ enabled: false, confirmedAt: null, disabledReason: "challenge" });
});

test("after a change of its URL nothing is sent to an endpoint, neither to the old one nor to the new one", async () => {
  const { append, receiver, webhook, challenge, find, delivery, attempted, clock } = await prepare();
  receiver.answer = rightAnswer;
  await challenge();
  await waitUntil("it to be enabled", async () => (await find(webhook)).enabled);
  receiver.answer = (response) => response.writeHead(204).end();
  await append(1);
  await attempted(2);
  const other = await startReceiver();
  cleanUps.push(other.stop);
  const change: Partial<Webhook> = { url: other.url };
  await updateWebhook(database, { id: webhook.id, subjectId: SUBJECT }, change, new Date(clock.now));
  await append(2);
  delivery.wake();
  // A challenge shows that whatever is due has been sent.
  await addChallenge(
    database,
    { webhookId: webhook.id, eventId: "evt_new" },
    { most: 9, windowMs: 1_000, now: new Date(clock.now) },
  );
  delivery.wake();
  await attempted(3);
  expect(other.received.map(({ type }) => type)).toEqual(["webhook.challenge"]);
  expect(receiver.received.map(({ seq }) => seq)).toEqual([undefined, 1]);
});
