import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createSubscription, fund, subscribe, unsubscribe } from "@dueday/devnet/scenarios/actions";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { parseEther, parseUnits } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const provider = protocol.person(0).address;
const member = protocol.person(1).address;
/** Has one subscriber, who left at once. */
const leftProvider = protocol.person(2).address;
const leaver = protocol.person(3).address;
/** Due on the next 20th: nearly a whole month is charged by a subscribe(). */
const plan = { amount: parseEther("12"), frequency: 1, dueDay: 20, details: { url: "", description: "" } } as const;
let api: TestApi;

beforeAll(async () => {
  const token = await protocol.token("HUSD", 6);
  await fund(protocol, token, member, parseUnits("100", 6), parseUnits("60", 6));
  const id = await createSubscription(protocol, provider, { ...plan, token });
  await subscribe(protocol, member, id);
  await fund(protocol, token, leaver, parseUnits("100", 6), parseUnits("60", 6));
  const left = await createSubscription(protocol, leftProvider, { ...plan, token });
  await subscribe(protocol, leaver, left);
  await unsubscribe(protocol, leaver, left);
  const { contract, url } = protocol;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
  await indexTestChain({ database: database.database, client, contract });
  api = await startTestApi({ database, rpcUrl: url, contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

test("a charge is income of its provider and spending of its subscriber, in the period of its day", async () => {
  const income = (await callApi(api, `/providers/${provider}/income`)).body;
  const spending = (await callApi(api, `/accounts/${member}/spending?group=day`)).body;
  expect(income).toMatchObject({ provider, group: "month", fromDate: "2025-10-01", toDate: "2026-09-21" });
  const [received] = Object(income.totals);
  const [paid] = Object(spending.totals);
  expect(income.periods).toEqual([{ start: "2026-09-01", end: "2026-09-21", ...received }]);
  expect(spending.periods).toEqual([{ start: "2026-09-21", end: "2026-09-21", ...paid }]);
  expect(received).toMatchObject({ tokenSymbol: "HUSD", tokenDecimals: 6, charges: 1, failures: 0, failed: "0" });
  // A quarter of the amount fills the fee balance, which is the subscriber's.
  expect([paid.charges, Number(paid.netRaw) - Number(received.netRaw)]).toEqual([1, 3_000_000]);
});

test("the fee balance that a leaving subscriber's plan brings is a column of its own, and part of net", async () => {
  const { body } = await callApi(api, `/providers/${leftProvider}/income`);
  const [sums] = Object(body.totals);
  // A quarter of the amount fills the fee balance.
  expect(sums).toMatchObject({ returnedPrepayments: "3", returnedPrepaymentsRaw: "3000000" });
  expect(BigInt(sums.netRaw)).toBe(BigInt(sums.paidRaw) + 3_000_000n);
  const [other] = Object((await callApi(api, `/providers/${provider}/income`)).body.totals);
  expect(other).toMatchObject({ returnedPrepayments: "0", returnedPrepaymentsRaw: "0" });
});

test("metrics count members and what recurs each month, with the charges of the payments and the net of the income", async () => {
  const { body } = await callApi(api, `/providers/${provider}/metrics`);
  const [income] = Object((await callApi(api, `/providers/${provider}/income`)).body.totals);
  const [payment] = Object((await callApi(api, `/providers/${provider}/payments`)).body.payments);
  expect(body).toMatchObject({ provider, group: "month", fromDate: "2025-10-01", toDate: "2026-09-21" });
  const [month, ...others] = Object(body.periods);
  expect(others).toEqual([]);
  expect(month).toMatchObject({
    start: "2026-09-01",
    end: "2026-09-21",
    tokenSymbol: "HUSD",
    activeStart: 0,
    new: 1,
    activeEnd: 1,
    mrrStart: "0",
    mrrNew: "12",
    mrrNewRaw12: "144000000",
    mrrEnd: "12",
    mrrEndRaw12: "144000000",
    chargedRaw: payment.grossRaw,
    netRaw: income.netRaw,
    failures: 0,
    recovered: null,
  });
  const left = (await callApi(api, `/providers/${leftProvider}/metrics?group=day`)).body.periods;
  expect(left).toMatchObject([
    { start: "2026-09-21", new: 1, left: 1, failed: 0, activeEnd: 0, mrrLeft: "12", mrrEnd: "0" },
  ]);
});

test("cohorts are the members of a month, how many of them are still active, and what they paid", async () => {
  const cohort = { cohort: "2026-09", month: "2026-09", after: 0, tokenSymbol: "HUSD", joined: 1 };
  const [payment] = Object((await callApi(api, `/providers/${provider}/payments`)).body.payments);
  const { body } = await callApi(api, `/providers/${provider}/cohorts`);
  expect(body).toMatchObject({ provider, group: "month", fromDate: "2025-10-01", toDate: "2026-09-30" });
  expect(body.cohorts).toMatchObject([{ ...cohort, active: 1, paidRaw: payment.grossRaw }]);
  expect((await callApi(api, `/providers/${leftProvider}/cohorts`)).body.cohorts).toMatchObject([
    { ...cohort, active: 0 },
  ]);
});

test("a token, a subscription and days reduce metrics and cohorts; both are files too", async () => {
  const of = async (query: string) => {
    const { body } = await callApi(api, `/providers/${provider}/${query}`);
    return body.periods ?? body.cohorts;
  };
  expect(await of(`metrics?token=${provider}`)).toEqual([]);
  expect(await of(`metrics?subscription=0x${"7".repeat(64)}`)).toEqual([]);
  expect(await of("metrics?toDate=2026-09-20")).toEqual([]);
  expect(await of(`cohorts?token=${provider}`)).toEqual([]);
  expect(await of("cohorts?toDate=2026-08-31")).toEqual([]);
  const files = ["metrics", "cohorts"].map(async (name) => {
    const { text } = await callApi(api, `/providers/${provider}/${name}`, { headers: { Accept: "text/csv" } });
    return text.trim().split("\r\n");
  });
  const [metrics, cohorts] = await Promise.all(files);
  expect([metrics?.length, cohorts?.length]).toEqual([2, 2]);
  expect(metrics?.[0]).toStartWith("start,end,token,tokenSymbol,tokenDecimals,activeStart,new,reactivated,left,");
  expect(cohorts?.[0]).toBe("cohort,after,month,token,tokenSymbol,tokenDecimals,joined,active,paid,paidRaw");
});

test.each([
  ["metrics?group=year", "group must be day, week or month"],
  ["metrics?fromDate=2020-01-01&group=day", "fromDate must be in one of the 400 periods that end with that of toDate"],
  ["cohorts?group=week", "group must be month"],
  [
    "cohorts?fromDate=2023-01-15&toDate=2026-01-15",
    "fromDate must be in one of the 36 months that end with that of toDate",
  ],
])("%s is refused: %s", async (query, message) => {
  const { status, body } = await callApi(api, `/providers/${provider}/${query}`);
  expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(body.error).toStartWith(message);
});

test("days and token reduce what is summed; nothing is an answer", async () => {
  const of = async (query: string) => (await callApi(api, `/accounts/${member}/spending?${query}`)).body.totals;
  expect(await of("fromDate=2026-09-21&toDate=2026-09-21")).toHaveLength(1);
  expect(await of("toDate=2026-09-20")).toEqual([]);
  expect(await of("fromDate=2026-09-22")).toEqual([]);
  expect(await of(`token=${provider}`)).toEqual([]);
});

test.each([
  ["fromDate=2020-01-01&group=day", "fromDate must be in one of the 400 periods that end with that of toDate"],
  ["fromDate=2026-02-30", "fromDate must be an existing day"],
  ["fromDate=2026-03-02&toDate=2026-03-01", "toDate must not be before fromDate"],
  ["group=year", "group must be day, week or month"],
])("%s is refused: %s", async (query, message) => {
  const { status, body } = await callApi(api, `/providers/${provider}/income?${query}`);
  expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(body.error).toStartWith(message);
});

test("payments have one row for a charge, with its parts, the plan's name, and the net that the income has", async () => {
  const { body } = await callApi(api, `/providers/${provider}/payments`);
  const [received] = Object((await callApi(api, `/providers/${provider}/income`)).body.totals);
  expect(body).toMatchObject({ provider, hasMore: false, toDate: "2026-09-21" });
  const [row, ...others] = Object(body.payments);
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    date: "2026-09-21",
    kind: "initial",
    planName: "12 HUSD each month",
    subscriber: member,
    failed: "0",
    returned: "0",
    toFeeBalance: "3",
    netRaw: received.netRaw,
  });
  expect(BigInt(row.grossRaw)).toBe(BigInt(row.netRaw) + 3_000_000n);
  const csv = await callApi(api, `/providers/${provider}/payments`, { headers: { Accept: "text/csv" } });
  expect(csv.text.trim().split("\r\n")).toHaveLength(2);
  expect(csv.text).toStartWith("date,kind,id,planName,provider,subscriber,token,");
});

test("a statement has both sides: a provider's shows what it received, a subscriber's what it paid", async () => {
  const [own, spent] = await Promise.all(
    [provider, member].map(async (account) => (await callApi(api, `/accounts/${account}/statement`)).body),
  );
  const [received] = Object(own?.totals);
  const [paid] = Object(spent?.totals);
  expect(own).toMatchObject({ fromDate: "2026-09-01", toDate: "2026-09-21", entries: [{ side: "received" }] });
  expect(spent).toMatchObject({ entries: [{ side: "paid" }] });
  expect([received.paid, paid.received]).toEqual(["0", "0"]);
  expect(BigInt(received.netRaw)).toBe(BigInt(received.receivedRaw));
  expect(BigInt(paid.netRaw)).toBe(-BigInt(paid.paidRaw));
  expect(BigInt(paid.paidRaw) - BigInt(received.receivedRaw)).toBe(3_000_000n);
});

test("a statement for print is a page without a script, in which texts from the chain are inert", async () => {
  const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const page = await callApi(api, `/accounts/${provider}/statement`, { headers });
  expect((await callApi(api, `/accounts/${provider}/statement?detail=summary`, { headers })).text).toBe(page.text);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.text).toContain("12 HUSD each month");
  expect(page.text).not.toContain("<script");
  const file = await callApi(api, `/accounts/${provider}/statement`, { headers: { Accept: "text/csv" } });
  expect(file.text).toStartWith("side,date,kind,");
});

test("an account without payments has an empty statement, and a page that states it", async () => {
  const nobody = protocol.person(5).address;
  expect((await callApi(api, `/accounts/${nobody}/statement`)).body).toMatchObject({ totals: [], entries: [] });
  const page = await callApi(api, `/accounts/${nobody}/statement`, { headers: { Accept: "text/html" } });
  expect(page.text).toContain("Nothing was paid or received");
});

test("before the first remit() its history and the ranking of keepers are empty; a foreign cursor is refused", async () => {
  expect((await callApi(api, "/remit/history")).body).toMatchObject({ remits: [], hasMore: false });
  expect((await callApi(api, "/remit/keepers")).body).toMatchObject({ days: 30, keepers: [], count: 0 });
  expect((await callApi(api, "/remit/history?after=abc")).body).toMatchObject({ code: "VALIDATION_ERROR" });
});

test("an index of an earlier release is NOT_INDEXED for money until the worker has completed it", async () => {
  await database.database.sql`update index_checkpoints set derived_version = 1`;
  const { status, body } = await callApi(api, `/providers/${provider}/income`);
  expect([status, body.code]).toEqual([503, "NOT_INDEXED"]);
});
