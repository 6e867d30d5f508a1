import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { subLogNames } from "@dueday/core/events/subLogEvents";
import { planId } from "@dueday/devnet/demoArguments";
import { parse } from "csv-parse/sync";

const { api, devnet, stop } = await startDemoApi();
afterAll(stop);

type Entry = Record<string, string>;
const history = `/subscriptions/${planId(devnet)}/history`;
const [first] = (await callApi(api, `${history}?first=1`)).body.events as Entry[];
const activity = `/accounts/${first?.provider}/activity`;

async function get(path: string): Promise<{ events: Entry[]; count: number; nextAfter?: string; hasMore: boolean }> {
  const { status, body, text } = await callApi(api, path);
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return Object(body);
}

const keyOf = ({ blockNumber, logIndex }: Entry) => `${blockNumber}.${logIndex}`;

describe.each([history, activity])("%s", (path) => {
  test("pages by cursor are the whole list, once each, in order", async () => {
    const whole = await get(`${path}?first=200`);
    expect(whole).toMatchObject({ count: whole.events.length, hasMore: false });
    expect(whole.nextAfter).toBeUndefined();
    const paged: Entry[] = [];
    let after: string | undefined;
    do {
      const page = await get(`${path}?first=7${after === undefined ? "" : `&after=${after}`}`);
      expect(page.count).toBe(whole.count);
      paged.push(...page.events);
      after = page.nextAfter;
    } while (after !== undefined);
    expect(paged.map(keyOf)).toEqual(whole.events.map(keyOf));
  });

  test("filters by name and by day, and counts what matches", async () => {
    const whole = await get(`${path}?first=200`);
    for (const eventName of subLogNames) {
      const found = await get(`${path}?first=200&eventName=${eventName}`);
      const expected = whole.events.filter((event) => event.eventName === eventName);
      expect([eventName, found.count, found.events.map(keyOf)]).toEqual([
        eventName,
        expected.length,
        expected.map(keyOf),
      ]);
    }
    const day = String(whole.events[Math.floor(whole.events.length / 2)]?.formattedTimestamp).slice(0, 10);
    const inRange = (from: string, to: string) =>
      whole.events.filter(
        ({ formattedTimestamp = "" }) =>
          from <= formattedTimestamp.slice(0, 10) && formattedTimestamp.slice(0, 10) <= to,
      );
    const found = await get(`${path}?first=200&fromDate=${day}&toDate=${day}`);
    expect(found.count).toBeGreaterThan(0);
    expect(found.events.map(keyOf)).toEqual(inRange(day, day).map(keyOf));
    expect((await get(`${path}?first=200&toDate=${day}`)).count).toBe(inRange("0000-00-00", day).length);
  });

  test("as CSV it has a header and the same entries, and a strict parser reads it", async () => {
    const whole = await get(`${path}?first=200`);
    const answer = await callApi(api, path, { headers: { Accept: "text/csv" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/csv; charset=utf-8; header=present",
    ]);
    const rows: Entry[] = parse(answer.text, { columns: true, record_delimiter: "\r\n" });
    expect(rows.map(keyOf)).toEqual(whole.events.map(keyOf));
    expect(rows[0]?.amount).toBe(String(whole.events[0]?.amount));
    const filtered = await callApi(api, `${path}?eventName=Subscribed`, { headers: { Accept: "text/csv" } });
    expect(parse(filtered.text, { columns: true }).length).toBe((await get(`${path}?eventName=Subscribed`)).count);
  });
});

test("an account's events of one subscription are those of both lists", async () => {
  const found = await get(`${activity}?first=200&subscription=${planId(devnet)}`);
  expect(found.events.map(keyOf)).toEqual((await get(`${history}?first=200`)).events.map(keyOf));
});

test("details history has cursors and CSV too", async () => {
  const path = `/subscriptions/${planId(devnet)}/details-history`;
  const whole = (await callApi(api, path)).body;
  const { text } = await callApi(api, path, { headers: { Accept: "text/csv, application/json;q=0.5" } });
  expect(parse(text, { columns: true }).length).toBe(Number(whole.count));
});

test("details history of some days has the entries of these days alone", async () => {
  const path = `/subscriptions/${planId(devnet)}/details-history`;
  const { entries, count } = (await callApi(api, path)).body;
  const { timestamp } = Object(entries)[0];
  const dayAt = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const countOf = async (query: string) => (await callApi(api, `${path}?${query}`)).body.count;
  expect(await countOf(`toDate=${dayAt(timestamp)}`)).toBe(Number(count));
  expect(await countOf(`fromDate=${dayAt(timestamp + 86_400)}`)).toBe(0);
});

test.each([
  ["after=abc", "after"],
  ["eventName=Nothing", "eventName"],
  ["fromDate=2026-02-30", "fromDate"],
  ["fromDate=2026-03-02&toDate=2026-03-01", "toDate"],
])("%s is refused by its field's name, as JSON where CSV was asked for too", async (query, field) => {
  for (const headers of [{}, { Accept: "text/csv" }]) {
    const { status, body } = await callApi(api, `${activity}?${query}`, { headers });
    expect([status, Object(body.issues)[0].path]).toEqual([400, field]);
  }
});

test("a page begins at after or at skip, not at both", async () => {
  const { status, body } = await callApi(api, `${activity}?after=MS4x&skip=1`);
  expect([status, Object(body.issues)[0].path]).toEqual([400, "skip"]);
});
