import { afterAll, afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { type EventReader, openEvents } from "@dueday/api/test/openEvents";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { readOutboxBounds } from "@dueday/db/outbox/readOutbox";
import { hex } from "@dueday/db/test/smallIndex";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createRegistry } from "@dueday/metrics/createRegistry";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const scope = { chainId: TEST_CHAIN_ID, contract: CONTRACT };
const database = await createTestDatabase();
const ADMIN = "an admin secret for tests";
const settings = {
  database,
  rpcUrl: "http://127.0.0.1:1",
  contract: CONTRACT,
  beatMs: 50,
  env: { ...BEHIND_PROXY, ADMIN_SECRET: ADMIN },
};
const registry = createRegistry();
const [api, other] = await Promise.all([startTestApi({ ...settings, registry }), startTestApi(settings)]);
const opened: EventReader[] = [];
afterEach(async () => {
  for (const reader of opened.splice(0)) reader.close();
  await waitUntil("every stream to be closed", async () => (await openStreams()) === 0);
});
afterAll(() => Promise.all([api.stop(), other.stop()]));

async function openStreams(): Promise<number> {
  return Number(/^dueday_event_streams (\d+)$/m.exec(await registry.metrics())?.[1]);
}

/** Each reader has a new address unless one is given. */
async function open(query = "", headers: Record<string, string> = {}, from = api): Promise<EventReader> {
  const reader = await openEvents(from, query, { "X-Forwarded-For": someAddress(), ...headers });
  opened.push(reader);
  return reader;
}

let written = 0;
async function append(count: number): Promise<void> {
  await appendTestEvents(database.database, scope, { first: written + 1, count });
  written += count;
}

const seqs = ({ events }: EventReader) => events.map(({ id }) => Number(id));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("a stream without a position begins now, and has each event with its seq, type and body", async () => {
  await append(3);
  const reader = await open();
  expect([reader.status, reader.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect([reader.headers.get("x-accel-buffering"), reader.headers.get("cache-control")]).toEqual(["no", "no-store"]);
  await waitUntil("the opening", () => reader.retry === 2_000);
  await append(2);
  await waitUntil("both events", () => reader.events.length === 2);
  expect(reader.events[0]).toMatchObject({ id: "4", event: "payment.paid", data: { seq: 4, type: "payment.paid" } });
  const { body } = await callApi(api, "/events?after=3");
  expect(reader.events.map(({ data }) => data)).toEqual(Object(body).events);
});

test("comments come while nothing happens", async () => {
  const reader = await open();
  await waitUntil("three comments", () => reader.comments >= 3);
  expect(reader.events).toEqual([]);
});

test("a reader resumes after any seq, from the tail in memory or from the table, and goes on with what is new", async () => {
  await append(1_500);
  const from = [0, 1, 99, 100, 101, 399, 400, written - 1, written];
  const readers = await Promise.all(from.map((after) => open(`after=${after}`)));
  await append(30);
  for (const [index, reader] of readers.entries()) {
    const after = from[index] ?? 0;
    await waitUntil(`the events after ${after}`, () => reader.events.length >= written - after);
    expect(seqs(reader)).toEqual(range(after + 1, written));
  }
});

test("Last-Event-ID wins over after", async () => {
  const reader = await open(`after=${written - 1}`, { "Last-Event-ID": String(written - 5) });
  await waitUntil("the events", () => reader.events.length === 5);
  expect(seqs(reader)).toEqual(range(written - 4, written));
  const malformed = await callApi(api, "/events", { headers: { Accept: "text/event-stream", "Last-Event-ID": "x" } });
  expect([malformed.status, malformed.body.code]).toEqual([400, "VALIDATION_ERROR"]);
});

test("a filter passes the same events as the JSON form", async () => {
  const query = `subscriber=${hex(105, 20)}&types=payment.paid`;
  const { body } = await callApi(api, `/events?${query}&after=0&first=50`);
  const expected: { seq: number }[] = Object(body).events;
  const reader = await open(`${query}&after=0`);
  await waitUntil("as many events", () => reader.events.length >= 50);
  expect(seqs(reader).slice(0, 50)).toEqual(expected.map(({ seq }) => seq));
  expect((await open("types=remit.due&after=0")).status).toBe(200);
});

test("the streams of all processes have each event", async () => {
  const readers = await Promise.all([open(), open("", {}, other), open()]);
  const before = written;
  for (let round = 0; round < 20; round++) await append(1 + (round % 3));
  for (const reader of readers) {
    await waitUntil("all events", () => reader.events.length === written - before);
    expect(seqs(reader)).toEqual(range(before + 1, written));
  }
});

test("an event whose notification was lost comes with the next poll", async () => {
  const reader = await open();
  const { sql } = database.database;
  await sql`insert into outbox select chain_id, contract, seq + 1, id, type, topic, subscription_id, provider, subscriber,
    block_number, block_hash, from_plan, retracted, written_at, body from outbox order by seq desc limit 1`;
  await sql`update outbox_counters set last_seq = last_seq + 1`;
  written += 1;
  await waitUntil("the event", () => reader.events.length === 1, 20_000);
});

test("a position that is not kept is 410 before a stream begins", async () => {
  const { lastSeq } = await readOutboxBounds(database.database, scope);
  const reader = await openEvents(api, `after=${lastSeq + 1}`);
  expect(reader.status).toBe(410);
});

test("an address has three streams, and a developer key twenty-five; a closed one makes room", async () => {
  const address = { "X-Forwarded-For": someAddress() };
  const three = await Promise.all([open("", address), open("", address), open("", address)]);
  expect(three.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await callApi(api, "/events", { headers: { Accept: "text/event-stream", ...address } });
  expect([refused.status, refused.body.code, refused.body.bucket]).toEqual([429, "RATE_LIMITED", "eventStreams"]);
  expect(refused.headers.get("retry-after")).toBe("15");
  // The refused request took from no bucket.
  const left = (headers: Headers) => /"global";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  const again = await callApi(api, "/events", { headers: { Accept: "text/event-stream", ...address } });
  expect([again.status, left(again.headers)]).toEqual([429, left(refused.headers) ?? "absent"]);
  three[0]?.close();
  await waitUntil("room for another", async () => {
    const next = await open("", address);
    return next.status === 200;
  });
  const created = await callApi(api, "/developer/keys", {
    method: "POST",
    headers: { "X-Service-Admin-Key": ADMIN },
    body: { subjectId: "reader", label: "streams" },
  });
  const key = { Authorization: `Bearer ${created.body.apiKey ?? created.body.key}`, "X-Forwarded-For": someAddress() };
  const many = await Promise.all(Array.from({ length: 26 }, () => open("", key)));
  expect(many.map(({ status }) => status).toSorted()).toEqual([...Array<number>(25).fill(200), 429]);
});

test("a reader that takes nothing holds no more than its socket buffers, and other readers are not held up", async () => {
  const { port, hostname } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /events?after=0 HTTP/1.1\r\nHost: x.example\r\nAccept: text/event-stream\r\nX-Forwarded-For: ${someAddress()}\r\n\r\n`,
  );
  socket.pause();
  await waitUntil("the stream", async () => (await openStreams()) === 1);
  const reader = await open();
  const before = written;
  for (let round = 0; round < 20; round++) await append(500);
  await waitUntil("all events", () => reader.events.length === written - before);
  expect(seqs(reader)).toEqual(range(before + 1, written));
  socket.destroy();
});

test("a stopping process ends its streams, and does not wait until it has to cut them", async () => {
  const stopping = await startTestApi(settings);
  const reader = await open("", {}, stopping);
  await waitUntil("the opening", () => reader.retry !== null);
  await Promise.all([stopping.stop(), reader.ended]);
  expect(reader.isCut).toBe(false);
});

test("HEAD opens no stream", async () => {
  const response = await fetch(`${api.url}/events`, { method: "HEAD", headers: { Accept: "text/event-stream" } });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(await openStreams()).toBe(0);
});
