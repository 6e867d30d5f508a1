import { afterAll, describe, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { failingPayers } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import ICAL from "ical.js";
import type { AccountCharges } from "./accountCharges";
import { chargesCalendar } from "./chargesCalendar";
import { getAccountCharges } from "./getAccountCharges";
import { getAccountHealth } from "./getAccountHealth";

const account = "0x1111111111111111111111111111111111111111";
const id = `0x${"ab".repeat(32)}` as const;

const charge = (texts: Partial<AccountCharges["charges"][number]> = {}): AccountCharges["charges"][number] => ({
  date: "2026-12-31",
  id,
  planName: "Reader",
  seller: { name: "Harbor", verified: false },
  provider: account,
  token: account,
  tokenSymbol: "HUSD",
  amount: "12.5",
  amountRaw: "12500000",
  tokenDecimals: 6,
  lacks: null,
  ...texts,
});
const answer = (charges: AccountCharges["charges"]): AccountCharges => ({
  chainId: 8453,
  account,
  days: 400,
  charges,
  count: charges.length,
  hasMore: false,
  asOf: {
    blockNumber: "1",
    blockHash: id,
    blockTimestamp: 1_790_000_000,
    computedAt: "2026-09-21T14:13:20.000Z",
    source: "live",
    stale: false,
  },
});

/** By a parser that knows nothing of the writer. */
function eventsOf(calendar: string) {
  const root = new ICAL.Component(ICAL.parse(calendar));
  return root.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event));
}

describe("the calendar of coming charges", () => {
  test("has an event for the whole UTC day of each charge, with a UID that a later reading repeats", () => {
    const [event] = eventsOf(chargesCalendar(answer([charge()])));
    expect(event?.summary).toBe("12.5 HUSD, Reader");
    expect(event?.description).toBe(`Seller: Harbor (not verified)\nPlan: ${id}`);
    expect(event?.startDate.isDate).toBe(true);
    expect([event?.startDate, event?.endDate].map(String)).toEqual(["2026-12-31", "2027-01-01"]);
    const later = { ...answer([charge({ planName: "Renamed", lacks: "allowance" })]), days: 30 };
    const [changed] = eventsOf(chargesCalendar(later));
    expect(changed?.uid).toBe(event?.uid ?? "");
    expect(changed?.summary).toBe("Will fail: 12.5 HUSD, Renamed");
    expect(changed?.description).toContain("The approval does not cover it");
    const uids = eventsOf(
      chargesCalendar(answer([charge(), charge({ date: "2027-01-31" }), charge({ id: `0x${"cd".repeat(32)}` })])),
    ).map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(3);
  });

  test("contains any text as text: no line, event or property is added, no line is longer than 75 octets, and nothing is a link", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 90 }),
      fc.string({ unit: fc.constantFrom("\r", "\n", ":", ";", ",", "\\", '"', "é", "漢", "👩‍👧"), maxLength: 90 }),
      fc.constantFrom(
        "a\r\nEND:VEVENT\r\nBEGIN:VALARM\r\nACTION:EMAIL",
        "x\\nATTENDEE:mailto:thief@evil.example",
        "https://evil.example/pay www.evil.example",
        "\u2028BEGIN:VEVENT",
      ),
    );
    fc.assert(
      fc.property(text, text, text, (planName, name, tokenSymbol) => {
        const calendar = chargesCalendar(
          answer([charge({ planName, tokenSymbol, seller: { name, verified: false } })]),
        );
        const root = new ICAL.Component(ICAL.parse(calendar));
        const [event, ...others] = root.getAllSubcomponents();
        expect(others).toEqual([]);
        expect(event?.getAllSubcomponents()).toEqual([]);
        expect(event?.getAllProperties().map((property) => property.name)).toEqual([
          "uid",
          "dtstamp",
          "dtstart",
          "dtend",
          "summary",
          "description",
          "transp",
        ]);
        expect(calendar).not.toMatch(/https?:\/\/|evil\.example|thief@/);
        const lines = calendar.split("\r\n");
        expect(lines.join("")).not.toMatch(/[\r\n]/);
        for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(calendar.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("GET /accounts/:address/charges", () => {
  const demo = startDemoApi();
  afterAll(async () => (await demo).stop());
  const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + failingPayers.allowance[0].subscriber).address;
  const read = async (path: string, accept?: string) => {
    const { api } = await demo;
    return fetch(`${api.url}/accounts/${path}`, { headers: accept === undefined ? {} : { Accept: accept } });
  };

  test("lists what health sums up, and its calendar has an event for each charge", async () => {
    const json = async <O extends TSchema>({ output }: { output: O }, path: string): Promise<Static<O>> =>
      Value.Parse(output, await (await read(`${payer}/${path}?days=35`)).json());
    const { charges, hasMore } = await json(getAccountCharges, "charges");
    const health = await json(getAccountHealth, "health");
    expect(hasMore).toBe(false);
    expect(charges.length).toBeGreaterThan(0);
    for (const { token, dueRaw } of health.tokens) {
      const own = charges.filter((each) => each.token === token);
      expect(own.reduce((total, { amountRaw }) => total + BigInt(amountRaw), 0n)).toBe(BigInt(dueRaw));
    }
    const failures = new Set(health.failures.map(({ id, date }) => `${id} ${date}`));
    expect(
      charges
        .filter(({ lacks }) => lacks !== null)
        .map(({ id, date }) => `${id} ${date}`)
        .toSorted(),
    ).toEqual([...failures].toSorted());
    const response = await read(`${payer}/charges.ics?days=35`, "text/calendar, */*;q=0.5");
    expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    const events = eventsOf(await response.text());
    expect(events.map(({ startDate }) => String(startDate))).toEqual(charges.map(({ date }) => String(date)));
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(charges.length);
  });

  test("the calendar is the same with detail=summary, which leaves out a part of the list", async () => {
    const path = `${payer}/charges.ics?days=35`;
    const [whole, summary] = await Promise.all(
      [path, `${path}&detail=summary`].map(async (each) => (await read(each)).text()),
    );
    expect(whole).toContain("DESCRIPTION:");
    expect(summary).toBe(whole ?? "");
  });

  test("is read in pages, which join to the whole list and have its count", async () => {
    const page = async (query: string) =>
      Value.Parse(getAccountCharges.output, await (await read(`${payer}/charges?days=90${query}`)).json());
    const whole = await page("");
    expect(whole).toMatchObject({ count: whole.charges.length, hasMore: false });
    expect(whole.count).toBeGreaterThan(2);
    const joined = [];
    let next: number | undefined = 0;
    while (next !== undefined) {
      const { charges, count, hasMore, nextSkip }: typeof whole = await page(`&first=2&skip=${next}`);
      expect([count, hasMore]).toEqual([whole.count, nextSkip !== undefined]);
      expect(charges.length).toBe(Math.min(2, whole.count - next));
      joined.push(...charges);
      next = nextSkip;
    }
    expect(joined).toEqual(whole.charges);
    for (const wrong of ["first=0", "first=1001", "skip=5001"])
      expect((await read(`${payer}/charges?${wrong}`)).status).toBe(400);
  });

  test("the calendar of an account that pays nothing is empty; a wrong address, other days and another type are refused as JSON", async () => {
    expect(eventsOf(await (await read(`${account}/charges.ics`)).text())).toEqual([]);
    const wrong = await read("0x12/charges.ics");
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: "VALIDATION_ERROR" }]);
    expect((await read(`${account}/charges.ics?days=401`)).status).toBe(400);
    const other = await read(`${account}/charges.ics`, "text/html");
    expect([other.status, await other.json()]).toMatchObject([406, { code: "NOT_ACCEPTABLE" }]);
    const page = await read(`${account}/charges.ics`, "text/html,application/xhtml+xml,*/*;q=0.8");
    expect(page.status).toBe(200);
  });
});
