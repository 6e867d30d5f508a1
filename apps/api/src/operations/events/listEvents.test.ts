import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { type DomainEvent, eventTypes } from "@dueday/core/domainEvents/domainEvent";
import { pruneOutbox } from "@dueday/db/outbox/pruneOutbox";

const { api, devnet, database, stop } = await startDemoApi();
afterAll(stop);

type Page = { events: DomainEvent[]; nextAfter: number; hasMore: boolean };

async function read(query: string): Promise<Page> {
  const { status, body } = await callApi(api, `/events?${query}`);
  expect(status).toBe(200);
  return body as Page; // the answer is compared with the operation's schema
}

/** All events, by pages of the largest size. */
async function readAll(): Promise<Page> {
  const events: DomainEvent[] = [];
  for (let page = await read("first=200"); ; page = await read(`first=200&after=${page.nextAfter}`)) {
    events.push(...page.events);
    if (!page.hasMore) return { ...page, events };
  }
}

test("pages of any size, one after the other, give every event once and in order", async () => {
  const whole = await readAll();
  expect(whole.events.map(({ seq }) => seq)).toEqual(whole.events.map((_, index) => index + 1));
  expect(whole.events.length).toBeGreaterThan(20);
  const read7: DomainEvent[] = [];
  for (let page = await read("first=7"); ; page = await read(`first=7&after=${page.nextAfter}`)) {
    read7.push(...page.events);
    if (!page.hasMore) break;
  }
  expect(read7).toEqual(whole.events);
  expect(await read(`after=${whole.nextAfter}`)).toMatchObject({
    events: [],
    nextAfter: whole.nextAfter,
    hasMore: false,
  });
});

test("asOf is the newest indexed block, as other reads of the index have it", async () => {
  const { body } = await callApi(api, "/events?first=1");
  const { body: remits } = await callApi(api, "/remit/history?first=1");
  expect(body.asOf).toEqual({ ...Object(remits.asOf), stale: expect.any(Boolean) });
  expect(Object(body.asOf).blockNumber).toMatch(/^[1-9]\d*$/);
});

test("a filter passes the events of one subscription, provider or subscriber, in either case of an address", async () => {
  const { events } = await readAll();
  const paid = events.find(({ type }) => type === "payment.paid");
  if (paid?.type !== "payment.paid") throw new Error("the demo has a payment");
  const { id, provider, subscriber } = paid.data;
  const expected = (name: string, value: string) => events.filter(({ data }) => Reflect.get(data, name) === value);
  expect((await read(`first=200&subscription=${id}`)).events).toEqual(expected("id", id));
  expect((await read(`first=200&provider=${provider.toLowerCase()}`)).events).toEqual(expected("provider", provider));
  expect((await read(`first=200&subscriber=${subscriber}`)).events).toEqual(expected("subscriber", subscriber));
  const types = await read("first=200&types=payment.paid&types=subscription.created");
  expect(types.events).toEqual(events.filter(({ type }) => type === "payment.paid" || type === "subscription.created"));
});

test("a type that does not exist is refused with those that do", async () => {
  const { status, body } = await callApi(api, "/events?types=payment.payed");
  expect(status).toBe(400);
  for (const type of eventTypes) expect(String(body.error)).toContain(type);
});

test("an after above the last seq, or before the oldest kept, is 410 with the bounds", async () => {
  const { nextAfter: last } = await readAll();
  const above = await callApi(api, `/events?after=${last + 1}`);
  expect([above.status, above.body]).toEqual([
    410,
    expect.objectContaining({ code: "EVENTS_GONE", oldestSeq: 1, lastSeq: last }),
  ]);
  const { sql } = database.database;
  await sql`update outbox set written_at = 'epoch' where seq <= 3`;
  await pruneOutbox(database.database, { chainId: TEST_CHAIN_ID, contract: devnet.contract }, new Date(1_000));
  const behind = await callApi(api, "/events?after=2");
  expect([behind.status, behind.body]).toEqual([
    410,
    expect.objectContaining({ code: "EVENTS_GONE", oldestSeq: 4, lastSeq: last }),
  ]);
  expect((await read("first=1")).events[0]?.seq).toBe(4);
  expect((await read("first=1&after=3")).events[0]?.seq).toBe(4);
  await sql`update outbox set written_at = 'epoch'`;
  await pruneOutbox(database.database, { chainId: TEST_CHAIN_ID, contract: devnet.contract }, new Date(1_000));
  const { body } = await callApi(api, "/events?after=2");
  expect(body.error).toStartWith("The events after 2 have been deleted: none is kept. Read");
});
