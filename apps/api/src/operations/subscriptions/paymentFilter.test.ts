import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { fromBytes } from "@dueday/db/rows/bytes";
import { type Address, getAddress, type Hex } from "viem";

const { api, database, stop } = await startDemoApi();
afterAll(stop);

const plans = (
  await database.database.sql<{ id: Uint8Array; provider: Uint8Array }[]>`select id, provider from subscriptions`
).map(({ id, provider }) => ({ id: fromBytes(id), provider: getAddress(fromBytes(provider)) }));
const payers = (
  await database.database.sql<{ subscriber: Uint8Array }[]>`select distinct subscriber from memberships order by 1`
).map(({ subscriber }) => getAddress(fromBytes(subscriber)));

/** All payments once, by each way to divide them: by provider, by subscription, and by accounts in two groups. */
const divisions: [string, string[]][] = [
  ["provider", [...new Set(plans.map(({ provider }) => provider))]],
  ["subscription", plans.map(({ id }) => id)],
  ["account", [payers.slice(0, payers.length / 2).join(","), payers.slice(payers.length / 2).join(",")]],
];

type Sum = { payments: number; byToken: { token: Address; amountRaw: string; payments: number }[] };
type Sums = Record<string, number | bigint>;

function add(sums: Sums, key: string, value: number | bigint): void {
  if (typeof value === "bigint") sums[key] = BigInt(sums[key] ?? 0n) + value;
  else sums[key] = Number(sums[key] ?? 0) + value;
}

/** Adds the sums of one kind on one day. */
function addSum(sums: Sums, key: string, { payments, byToken }: Sum): void {
  add(sums, key, payments);
  for (const { token, amountRaw, payments: own } of byToken) {
    add(sums, `${key} ${token} payments`, own);
    add(sums, `${key} ${token}`, BigInt(amountRaw));
  }
}

async function read(path: string) {
  const { status, body } = await callApi(api, path);
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  return body;
}

const kinds = ["open", "upcoming", "settled", "failed", "missed"] as const;
type Day = Record<(typeof kinds)[number], Sum> & { date: string; dayState: string; expectedFailures: number };

/** The sums of a month; `seen` has each day's state. */
async function sumMonth(month: string, filter: string, sums: Sums, seen: Map<string, string>): Promise<void> {
  for (const day of (await read(`/subscriptions/due/calendar?month=${month}${filter}`)).days as Day[]) {
    expect(seen.get(day.date) ?? day.dayState).toBe(day.dayState);
    seen.set(day.date, day.dayState);
    add(sums, `${day.date} expected failures`, day.expectedFailures);
    for (const kind of kinds) addSum(sums, `${day.date} ${kind}`, day[kind]);
  }
}

const filled = (sums: Sums) => Object.fromEntries(Object.entries(sums).filter(([, value]) => Number(value) !== 0));

test.each(divisions)(
  "calendar: what each %s has adds up to the whole, on settled, open and upcoming days, and beyond the forecast",
  async (name, values) => {
    const states = new Map<string, string>();
    for (const month of ["2026-09", "2026-10", "2026-12"]) {
      const [whole, parts]: [Sums, Sums] = [{}, {}];
      await sumMonth(month, "", whole, states);
      for (const value of values) await sumMonth(month, `&${name}=${value}`, parts, states);
      expect(filled(parts)).toEqual(filled(whole));
      expect(Object.keys(filled(whole)).length).toBeGreaterThan(0);
    }
    expect([...new Set(states.values())].sort()).toEqual(expect.arrayContaining(["open", "settled", "upcoming"]));
  },
);

type Listed = {
  results: { frequency: number; count: number; subscriptions: { id: Hex; provider: Address; subscribers: number }[] }[];
};

test.each(divisions)(
  "due lists: what each %s has is the whole list, each subscription with its own subscribers",
  async (name, values) => {
    for (const date of ["2026-09-18", "2026-09-21", "2026-10-01"]) {
      const subscribersOf = async (filter: string) => {
        const { results } = (await read(`/subscriptions/due?date=${date}&first=200${filter}`)) as Listed;
        for (const { count, subscriptions } of results) expect(count).toBe(subscriptions.length);
        return results.flatMap(({ subscriptions }) =>
          subscriptions.map(({ id, subscribers }) => [id, subscribers] as const),
        );
      };
      const whole: Sums = {};
      const parts: Sums = {};
      for (const [id, subscribers] of await subscribersOf("")) add(whole, id, subscribers);
      for (const value of values)
        for (const [id, subscribers] of await subscribersOf(`&${name}=${value}`)) add(parts, id, subscribers);
      expect(filled(parts)).toEqual(filled(whole));
    }
  },
);

type Selection = { backlog: Sum; next30Days: Sum; days: (Sum & { date: string; expectedFailures: number })[] };

test.each(divisions)(
  "forecast: what each %s has adds up to the whole, day by day; the days of the whole stay",
  async (name, values) => {
    const { days, backlog } = await read("/remit/forecast");
    const whole: Sums = {};
    for (const day of days as { date: string; payments: number }[]) add(whole, day.date, day.payments);
    add(whole, "backlog", Number(Object(backlog).payments));
    const parts: Sums = {};
    for (const value of values) {
      const body = await read(`/remit/forecast?${name}=${value}`);
      expect(body.days).toEqual(days);
      const selection = body.selection as Selection;
      for (const { date, payments } of selection.days) add(parts, date, payments);
      add(parts, "backlog", selection.backlog.payments);
      const [month, sums]: [Sums, Sums] = [{}, {}];
      addSum(month, "30 days", selection.next30Days);
      for (const day of [selection.backlog, ...selection.days.slice(0, 30)]) addSum(sums, "30 days", day);
      expect(filled(sums)).toEqual(filled(month));
    }
    expect(filled(parts)).toEqual(filled(whole));
  },
);

test("lists together mean what fits all of them; one account alone has an outlook, several have none", async () => {
  const [plan, other] = plans;
  if (plan === undefined || other === undefined) throw new Error("the demo has plans");
  const foreign = plans.find(({ provider }) => provider !== plan.provider);
  const both = await read(`/remit/forecast?provider=${plan.provider}&subscription=${foreign?.id}`);
  expect(both.selection).toMatchObject({ next30Days: { payments: 0, byToken: [] } });
  expect(both.outlook).toBeUndefined();
  const [one, two] = payers;
  expect((await read(`/remit/forecast?account=${one}`)).outlook).toMatchObject({ account: one });
  const several = await read(`/remit/forecast?account=${one},${two?.toLowerCase()}`);
  expect([several.outlook, several.account]).toEqual([undefined, undefined]);
});

test.each([
  ["account", "0x12", "an address: 0x and 40 hex digits, or up to 50 of them with commas between"],
  ["provider", `${payers[0]},`, "an address"],
  ["account", Array.from({ length: 51 }, () => payers[0]).join(","), "up to 50"],
  ["subscription", `${plans[0]?.id}, ${plans[0]?.id}`, "an id: 0x and 64 hex digits"],
])(
  "a list of %s that is malformed or too long is refused, and the message has its form: %s",
  async (name, value, message) => {
    for (const path of ["/subscriptions/due?", "/subscriptions/due/calendar?month=2026-09&", "/remit/forecast?"]) {
      const { status, body } = await callApi(api, `${path}${name}=${encodeURIComponent(value)}`);
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(body.error).toContain(message);
    }
  },
);
