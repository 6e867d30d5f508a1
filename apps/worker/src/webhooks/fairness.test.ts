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

/**
 * Most attempts beyond those that a rate gives over time, of attempts that arrived at these milliseconds after the first could begin. What
 * a busy machine delays arrives later, never sooner.
 */
function mostAhead(times: readonly number[], perSecond: number): number {
  return Math.max(0, ...times.map((time, index) => index + 1 - (perSecond * time) / 1_000));
}

const ENDPOINTS = 2_000;
const SUBJECTS = 20;
const EVENTS = 20;
/** In an order without shares an endpoint waits for more than half of the others; with them some rounds of a worker's 256 turns pass at most. */
const HALF = ENDPOINTS / 2;

test("beside 20 hostile subjects with 2,000 endpoints an endpoint that answers gets each event before half of them are tried, and no host more than its rate", async () => {
  const { addMany, addWebhook, append, start } = prepare();
  let begun = 0;
  const hostile = (onConnection: (socket: Socket) => void) =>
    listen((socket) => {
      begun++;
      onConnection(socket);
    });
  const ports = [
    await hostile(() => {}),
    await hostile((socket) => socket.destroy()),
    await hostile(answer(FAILED)),
    await hostile(answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na")),
  ];
  const startedAt = performance.now();
  const atSink: number[] = [];
  const sink = await hostile((socket) => {
    atSink.push(performance.now() - startedAt);
    answer(FAILED)(socket);
  });
  const friend = await startReceiver({ host: "127.0.0.2" });
  cleanUps.push(friend.stop);
  const begunAtArrival: number[] = [];
  friend.answer = (response) => {
    begunAtArrival.push(begun);
    response.writeHead(204).end();
  };
  await addWebhook(friend, { subjectId: "friend" });
  for (let subject = 0; subject < SUBJECTS; subject++) {
    const own = (index: number) => `http://127.1.${subject}.${index + 1}:${ports[index % ports.length]}/`;
    const shared = (index: number) => `http://127.2.0.1:${sink}/${subject}/${index}`;
    const urls = Array.from({ length: ENDPOINTS / SUBJECTS }, (_, index) => (index < 80 ? own(index) : shared(index)));
    await addMany(`hostile ${subject}`, urls);
  }
  start({ clock: Date.now, timeoutMs: 15_000, targetLimits: TARGET_LIMITS });
  const before: number[] = [];
  for (let event = 1; event <= EVENTS; event++) {
    const begunAtEvent = begun;
    await append(1);
    await waitUntil(`event ${event}`, () => begunAtArrival.length >= event);
    before.push((begunAtArrival[event - 1] ?? Number.NaN) - begunAtEvent);
  }
  await waitUntil("half of the others to be tried", () => begun >= HALF);
  console.log(`attempts at others before each event arrived: ${before.join(" ")}; ${atSink.length} at the shared host`);
  expect(Math.max(...before)).toBeLessThan(HALF);
  const { perSecond, burst } = TARGET_LIMITS.host;
  expect(mostAhead(atSink, perSecond)).toBeLessThanOrEqual(burst);
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
  const startedAt = performance.now();
  const times: number[] = [];
  const port = await listen((socket) => {
    times.push(performance.now() - startedAt);
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
  expect(mostAhead(times, rate.perSecond)).toBeLessThanOrEqual(rate.burst);
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
