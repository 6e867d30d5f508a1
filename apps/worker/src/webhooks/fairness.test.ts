import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { hostOf } from "@dueday/core/webhooks/checkWebhookUrl";
import { webhooks } from "@dueday/db/schema/webhooks";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture } from "@dueday/worker/test/startWebhookFixture";
import { TARGET_LIMITS } from "./createTargetLimits";
import { restMs } from "./retrySchedule";

setDefaultTimeout(180_000);

const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const cleanUps: (() => Promise<void>)[] = [];
let chains = 4_000;
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function prepare() {
  const fixture = createWebhookFixture(testDatabase, ++chains);
  cleanUps.push(fixture.stop);
  /** Confirmed webhooks of one subject, which get the events after `afterSeq`. */
  async function addMany(subjectId: string, urls: readonly string[], afterSeq = 0): Promise<void> {
    const now = new Date(fixture.clock.now);
    const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const rows = urls.map((url) => {
      const id = crypto.randomUUID();
      return {
        ...fixture.scope,
        id,
        subjectId,
        url,
        host: hostOf(url),
        secret: fixture.box.seal(secret, id),
        confirmedAt: now,
        enabled: true,
        afterSeq,
        revision: 0,
        createdAt: now,
        updatedAt: now,
      };
    });
    await database.run("add webhooks", (db) => db.insert(webhooks).values(rows));
  }
  return { ...fixture, addMany };
}

/** A server on all loopback addresses, which does what it likes with a connection. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server on a port has an address");
  return address.port;
}

const answer = (text: string) => (socket: Socket) => void socket.once("data", () => socket.write(text));
const FAILED = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";

/** Attempts that were sent in two seconds may reach the receiver within one. */
const JITTER = 10;

const MOST_DELAY_MS = 1_000;
const MOST_ROUNDS = 5;

/** Most of these times, unix milliseconds, that lie within some milliseconds. */
function mostWithin(times: readonly number[], ms: number): number {
  return Math.max(0, ...times.map((time, index) => times.slice(index).filter((each) => each < time + ms).length));
}

test("beside 20 hostile subjects with 2,000 endpoints an endpoint that answers gets each event within a second of its usual time, and no host more than its rate", async () => {
  const { addMany, addWebhook, append, start } = prepare();
  const atSink: number[] = [];
  const ports = [
    await listen(() => {}),
    await listen((socket) => socket.destroy()),
    await listen(answer(FAILED)),
    await listen(answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na")),
  ];
  const sink = await listen((socket) => {
    atSink.push(performance.now());
    answer(FAILED)(socket);
  });
  const friend = await startReceiver({ host: "127.0.0.2" });
  cleanUps.push(friend.stop);
  const receivedAt = new Map<number, number>();
  friend.answer = (response, { seq = 0 }) => {
    receivedAt.set(seq, performance.now());
    response.writeHead(204).end();
  };
  await addWebhook(friend, { subjectId: "friend" });
  start({ clock: Date.now, timeoutMs: 15_000, targetLimits: TARGET_LIMITS });
  let seq = 0;
  /** Times from an event to its delivery, milliseconds, of 100 events one after another, in ascending order. */
  async function deliveryTimes(): Promise<number[]> {
    const times: number[] = [];
    while (times.length < 100) {
      seq++;
      const writtenAt = performance.now();
      await append(1);
      await waitUntil(`event ${seq}`, () => receivedAt.has(seq));
      times.push((receivedAt.get(seq) ?? Number.NaN) - writtenAt);
    }
    return times.sort((a, b) => a - b);
  }
  const p99 = (times: readonly number[]) => times[98] ?? Number.NaN;
  const describe = (times: readonly number[]) =>
    `median ${times[50]?.toFixed(0)} ms, p99 ${p99(times).toFixed(0)} ms, worst ${times.at(-1)?.toFixed(0)} ms`;
  const alone = await deliveryTimes();
  for (let subject = 0; subject < 20; subject++) {
    const own = (index: number) => `http://127.1.${subject}.${index + 1}:${ports[index % ports.length]}/`;
    const shared = (index: number) => `http://127.2.0.1:${sink}/${subject}/${index}`;
    await addMany(
      `hostile ${subject}`,
      Array.from({ length: 100 }, (_, index) => (index < 80 ? own(index) : shared(index))),
      seq,
    );
  }
  const delayOf = (times: readonly number[]) => p99(times) - p99(alone);
  let beside = await deliveryTimes();
  // Tests beside this one delay single rounds, an unfair turn delays all of them.
  for (let round = 1; round < MOST_ROUNDS && delayOf(beside) >= MOST_DELAY_MS; round++) beside = await deliveryTimes();
  console.log(
    `friendly endpoint alone: ${describe(alone)}; beside the others: ${describe(beside)}; sink: ${atSink.length} attempts, ${mostWithin(atSink, 1_000)} within a second`,
  );
  // What the machine itself takes for a delivery is not the others' doing.
  expect(delayOf(beside)).toBeLessThan(MOST_DELAY_MS);
  const { perSecond, burst } = TARGET_LIMITS.host;
  expect(mostWithin(atSink, 1_000)).toBeLessThanOrEqual(burst + perSecond + JITTER);
});

test("an endpoint that refuses connections gets one attempt, and one after each pause, whatever is due", async () => {
  const { addWebhook, append, start, attempts, attempted, clock, settled, find } = prepare();
  const receiver = await startReceiver();
  const webhook = await addWebhook(receiver);
  const { port } = receiver;
  await receiver.stop();
  const delivery = start();
  await append(500);
  let expected = 0;
  for (const failures of [1, 2, 3, 4, 5]) {
    await attempted(++expected);
    await waitUntil("the pause", async () => (await find(webhook)).failures === failures);
    const pauseMs = restMs(failures, true);
    expect((await find(webhook)).restsUntil).toEqual(new Date(clock.now + pauseMs));
    clock.now += pauseMs;
    delivery.wake();
  }
  expect(attempts.filter((failure) => failure === "CONNECTION")).toHaveLength(attempts.length);
  await attempted(++expected);
  await waitUntil("the pause", async () => (await find(webhook)).failures === 6);
  expect(attempts).toHaveLength(6);
  // It is back: everything arrives.
  const back = await startReceiver({ port });
  cleanUps.push(back.stop);
  back.secret = receiver.secret;
  clock.now += 30 * 3_600_000;
  delivery.wake();
  await settled(webhook, 500);
  expect(new Set(back.received.map(({ seq }) => seq)).size).toBe(500);
});

test("two workers together send a host no more than its rate, and every event arrives in the end", async () => {
  const { addMany, append, start } = prepare();
  const times: number[] = [];
  const port = await listen((socket) => {
    times.push(performance.now());
    answer("HTTP/1.1 204 Yes\r\n\r\n")(socket);
  });
  const rate = { perSecond: 20, burst: 10 };
  for (let subject = 0; subject < 5; subject++)
    await addMany(
      `subject ${subject}`,
      Array.from({ length: 10 }, (_, index) => `http://127.0.0.1:${port}/${subject}/${index}`),
    );
  const targetLimits = { ...TARGET_LIMITS, host: rate };
  for (const _ of [1, 2]) start({ clock: Date.now, targetLimits });
  await append(2);
  await waitUntil("all deliveries", () => times.length >= 100);
  expect(times).toHaveLength(100);
  // What was taken from the rate arrives a little later, sooner or later than what was taken before.
  expect(mostWithin(times, 1_000)).toBeLessThanOrEqual(rate.perSecond + rate.burst + JITTER);
});

test("a subject whose endpoints are all slow leaves the turns of others free, and its own endpoints each get theirs", async () => {
  const { addMany, addWebhook, append, start } = prepare();
  const waiting = new Set<number | undefined>();
  const port = await listen((socket) => {
    waiting.add(socket.remotePort);
  });
  await addMany(
    "slow",
    Array.from({ length: 40 }, (_, index) => `http://127.3.0.${index + 1}:${port}/`),
  );
  const friend = await startReceiver({ host: "127.0.0.2" });
  cleanUps.push(friend.stop);
  await addWebhook(friend, { subjectId: "friend" });
  start({ clock: Date.now, timeoutMs: 3_000 });
  await append(1);
  await waitUntil("the friend's event", () => friend.received.length === 1);
  // One subject has its share of connections, and not more.
  expect(waiting.size).toBeLessThanOrEqual(16);
  await waitUntil("each slow endpoint to be tried", () => waiting.size >= 40);
});
