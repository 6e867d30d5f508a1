import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { ForecastView } from "@dueday/core/remit/forecastView";
import { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { Value } from "@sinclair/typebox/value";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;

const database = await createTestDatabase();
let devnet: Devnet;
let api: TestApi;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: NOW });
  api = await startTestApi({ database, rpcUrl: devnet.url, contract: devnet.contract });
});
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${api.url}${path}`);
  // Every answer of the API is a JSON object.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function plan(query: string): Promise<RemitPlanAnswer & { count: number; hasMore: boolean; nextSkip?: number }> {
  const { status, body } = await get(`/remit/plan?${query}`);
  expect(status).toBe(200);
  const { count, hasMore, nextSkip, ...rest } = body;
  expect([...Value.Errors(RemitPlanAnswer, rest)]).toEqual([]);
  // The schema above has been held against it.
  return { ...(rest as RemitPlanAnswer), count: Number(count), hasMore: hasMore === true, nextSkip: Number(nextSkip) };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

describe("GET /remit/plan", () => {
  test("agrees with readiness, payment by payment", async () => {
    const { body: readiness } = await get("/remit/readiness");
    const whole = await plan("first=200");
    expect(whole).toMatchObject({ source: "simulated", complete: true, end: "caught_up", hasMore: false });
    expect(readiness).toMatchObject({
      totalPayments: whole.totalPayments,
      expectedTransactions: whole.totalTransactions,
      expectedFailures: whole.expectedFailures,
    });
    const charged = whole.payments.filter(({ outcome }) => outcome !== "skipped" && outcome !== "missed");
    expect(charged.length).toBe(whole.totalPayments);
    expect(charged.filter(({ outcome }) => outcome.startsWith("fails_")).length).toBe(whole.expectedFailures);
    for (const { index, payments } of whole.transactions) {
      expect(charged.filter(({ transaction }) => transaction === index).length).toBe(payments);
    }
  });

  test("its pages are the whole plan, each with the transactions of its payments", async () => {
    const whole = await plan("first=200");
    const payments: unknown[] = [];
    const transactions = new Set<number>();
    for (let skip = 0, more = true; more; ) {
      const page = await plan(`first=7&skip=${skip}`);
      payments.push(...page.payments);
      const shown = page.transactions.map(({ index }) => index);
      for (const { transaction } of page.payments) expect(shown).toContain(transaction);
      for (const index of shown) transactions.add(index);
      more = page.hasMore;
      skip += 7;
    }
    expect(payments).toEqual(whole.payments);
    expect(transactions.size).toBe(whole.totalTransactions);
    const [third] = (await plan("transaction=2")).transactions;
    expect(third).toEqual(whole.transactions[2]);
  });

  test("prices give every transaction its net earnings; each token has one price, and a token without a price earns nothing", async () => {
    const bare = await plan("first=200");
    expect(bare.transactions.every(({ netWei, costWei }) => netWei === undefined && costWei !== undefined)).toBe(true);
    const [first, ...others] = bare.totals.callerFees.map(({ token }) => token);
    expect(others.length).toBeGreaterThan(0);
    const rich = await plan(
      `first=200&${[first, ...others].map((token) => `price=${token}:1${"0".repeat(20)}`).join("&")}`,
    );
    for (const { feesWei, costWei, netWei, profitable } of rich.transactions) {
      expect(BigInt(netWei ?? "x")).toBe(BigInt(feesWei ?? "x") - BigInt(costWei ?? "x"));
      expect(profitable).toBe(BigInt(netWei ?? "x") > 0n);
    }
    expect(rich.totals.profitable).toBe(true);
    const poor = await plan(`first=200&price=${first}:1`);
    expect(poor.totals).toMatchObject({ profitable: false, profitableTransactions: 0 });
    expect(poor.warnings.map(({ code }) => code)).toContain("UNPRICED_TOKEN");
    const { status, body } = await get(`/remit/plan?price=${first}:1&price=${first}:2`);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" });
    expect((await get("/remit/plan?price=usd:1")).status).toBe(400);
  });

  test("only price may be repeated", async () => {
    expect((await get("/remit/plan?first=2&first=3")).status).toBe(400);
  });
});

describe("GET /remit/forecast", () => {
  test("begins with the backlog of the plan and covers 35 days", async () => {
    const { body } = await get("/remit/forecast");
    expect([...Value.Errors(ForecastView, body)]).toEqual([]);
    const { backlog, days, currentDay } = Value.Parse(ForecastView, body);
    const { totalPayments, totalTransactions, expectedFailures } = await plan("");
    expect(backlog).toMatchObject({ payments: totalPayments, transactions: totalTransactions, expectedFailures });
    expect(days.map(({ dayNumber }) => dayNumber)).toEqual(
      Array.from({ length: 35 }, (_, day) => currentDay + 1 + day),
    );
    expect(sum(days.map(({ payments }) => payments))).toBeGreaterThan(0);
  });

  test("has the first failing payment of a subscriber", async () => {
    const failing = (await plan("first=200")).payments.find(({ outcome }) => outcome.startsWith("fails_"));
    const { body } = await get(`/remit/forecast?account=${failing?.subscriber}`);
    const { account } = Value.Parse(ForecastView, body);
    expect(failing).toBeDefined();
    expect(account?.address).toBe(failing?.subscriber);
    expect(account?.firstFailureOutcome).toBe(failing?.outcome);
    expect(account?.nextDueDate).not.toBeNull();
  });
});
