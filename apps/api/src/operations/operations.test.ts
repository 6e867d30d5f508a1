import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { type ChainClient, createChainClient } from "@dueday/chain/client/createChainClient";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

import type { Input, OperationName, Output } from "./operations";

const NOW_SECONDS = 1_790_000_000;
const TODAY = 20_717;
const STALE_AFTER_MS = 60_000;
const PATHS = ["/protocol/state", "/subscriptions/due", "/remit/readiness", "/approved-tokens", "/catalog"];

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
const client: ChainClient = createChainClient({
  chainId: TEST_CHAIN_ID,
  rpcUrls: [devnet.url],
  requestTimeoutMs: 5_000,
});
const clock = { now: NOW_SECONDS * 1000 };
let api: TestApi;

const scan = () =>
  writeTestSnapshots({
    database: database.database,
    client,
    contract: devnet.contract,
    tokens: devnet.tokens,
    computedAt: new Date(clock.now),
  });

async function untilServed(path: string, isServed: (asOf: Record<string, unknown>) => boolean): Promise<void> {
  await waitUntil(`${path} served`, async () => isServed(Object((await callApi(api, path)).body.asOf)));
}

beforeAll(async () => {
  api = await startTestApi({
    database,
    rpcUrl: devnet.url,
    contract: devnet.contract,
    clock: () => clock.now,
    env: { STALE_AFTER_MS: String(STALE_AFTER_MS), SCAN_INTERVAL_MS: "1000" },
  });
});
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});

describe("before the first scan", () => {
  test("reads are computed live, on one block", async () => {
    for (const path of PATHS.filter((path) => path !== "/catalog")) {
      const { status, body, headers } = await callApi(api, path);
      expect(status).toBe(200);
      expect(body.asOf).toMatchObject({ source: "live", stale: false, blockTimestamp: NOW_SECONDS });
      expect(headers.get("etag")).toBeNull();
    }
  });
});

describe("after a scan", () => {
  beforeAll(async () => {
    await scan();
    for (const path of PATHS) {
      await waitUntil(`${path} served`, async () => (await callApi(api, path)).headers.has("etag"));
    }
  });

  test.each(PATHS)(
    "%s is answered from memory with ETag and block, and 304 where If-None-Match has the tag",
    async (path) => {
      const first = await callApi(api, path);
      const etag = first.headers.get("etag") ?? "";
      expect(first.status).toBe(200);
      expect(etag).toMatch(/^W\/"[\w-]{22}\.0"$/);
      expect(first.headers.get("cache-control")).toBe("private, no-cache");
      const again = await callApi(api, path, { headers: { "If-None-Match": etag } });
      expect([again.status, again.text]).toEqual([304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
      expect(first.headers.get("x-as-of")).toMatch(new RegExp(`^[0-9]+;0x[0-9a-f]{64};${NOW_SECONDS};0$`));
      expect(again.headers.get("x-as-of")).toBe(first.headers.get("x-as-of"));
    },
  );

  test("the catalog is the same with any chainId, and so are its ETag and X-As-Of", async () => {
    const env = {
      CHAINS: `${TEST_CHAIN_ID},99`,
      DEFAULT_REST_CHAIN_ID: String(TEST_CHAIN_ID),
      CHAIN_99_RPC_URLS: "http://127.0.0.1:1",
      CHAIN_99_CONTRACT: devnet.contract,
    };
    const { contract, url: rpcUrl } = devnet;
    const two = await startTestApi({ database, rpcUrl, contract, clock: () => clock.now, env });
    try {
      await waitUntil("the snapshots", async () => (await callApi(two, "/catalog")).headers.has("etag"));
      const [own, other] = await Promise.all([callApi(two, "/catalog"), callApi(two, "/catalog?chainId=99")]);
      for (const name of ["etag", "x-as-of"]) expect(other.headers.get(name)).toBe(own.headers.get(name));
      expect(other.body).toEqual(own.body);
    } finally {
      await two.stop();
    }
  });

  test("due lists page each list on its own; counts and totals stay complete", async () => {
    const whole = await callApi(api, "/subscriptions/due");
    const page = await callApi(api, `/subscriptions/due?dayNumber=${TODAY}&frequency=0&first=1&skip=1`);
    const weekly = Object(whole.body.results).find((list: { frequency: number }) => list.frequency === 0);
    const [paged, ...others] = Object(page.body.results);
    expect(others).toEqual([]);
    expect(paged.subscriptions).toEqual(weekly.subscriptions.slice(1, 2));
    expect(paged.count).toBe(weekly.count);
    expect(page.body.totals).toEqual(whole.body.totals);
  });

  test("a date and its day number give the same answer", async () => {
    const [byDate, byNumber] = await Promise.all(
      ["date=2026-09-21", `dayNumber=${TODAY}`].map((query) => callApi(api, `/subscriptions/due?${query}`)),
    );
    expect(byDate?.text).toBe(byNumber?.text ?? "");
  });

  test.each([TODAY - 3, TODAY + 400, 0])("day %p is not scanned and is read live", async (day) => {
    const { status, body } = await callApi(api, `/subscriptions/due?dayNumber=${day}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ dayNumber: day, asOf: { source: "live" } });
  });

  test("check_remit_readiness returns the plan that polling returns; with from it is simulated live for that caller", async () => {
    const from = devnet.keeper.address;
    const [polled, checked, own] = await Promise.all([
      callApi(api, "/remit/readiness"),
      callApi(api, "/check_remit_readiness", { method: "POST", body: {} }),
      callApi(api, `/remit/readiness?from=${from.toLowerCase()}`),
    ]);
    expect(checked.body).toEqual(polled.body);
    expect(own.body).toMatchObject({ from, asOf: { source: "live" }, days: polled.body.days });
  });

  test("prepare/remit returns one bare remit(), simulated live, with the gas budget of the whole backlog", async () => {
    const from = devnet.keeper.address;
    const readiness = await callApi(api, `/remit/readiness?from=${from}`);
    const { status, body } = await callApi(api, "/prepare/remit", { method: "POST", body: { from } });
    expect(status).toBe(200);
    const transaction = { to: devnet.contract, data: encodeRemit(), value: "0", chainId: TEST_CHAIN_ID, from };
    expect(body.unsignedTransactions).toEqual([transaction]);
    expect(body).toMatchObject({ signingMode: "raw", chainId: TEST_CHAIN_ID, asOf: { source: "live" } });
    const { asOf: _, chainId: __, ...preflight } = readiness.body;
    expect(body.preflight).toEqual(preflight);
    const plan = Object(preflight.plan);
    const [first] = plan.transactions;
    expect(body.simulation).toMatchObject({
      success: true,
      method: "eth_simulateV1",
      results: [{ gasUsed: first.gasUsed }],
    });
    const earned = first.callerFees.map((fee: object) => expect.objectContaining({ ...fee, direction: "in" }));
    expect(Object(body.simulation).results[0].assetChanges).toEqual(expect.arrayContaining(earned));
    const economics = Object(preflight.economics);
    expect(body.gasSummary).toMatchObject({
      transactionCount: 1,
      backlogMultiplier: preflight.expectedTransactions,
      totalBacklogEstimatedCostWei: economics.estimatedCostWei,
    });
  });

  test("readinessOnly returns the preflight and nothing to sign", async () => {
    const body = { from: devnet.keeper.address, readinessOnly: true };
    const answer = await callApi(api, "/prepare/remit", { method: "POST", body });
    expect(answer.body).toMatchObject({ readinessOnly: true, operation: "prepare_remit", ready: true, issues: [] });
    expect(answer.text).not.toContain("unsignedTransactions");
    expect(answer.text).not.toContain("gasEstimates");
  });

  test("simulateFromAddress changes the gas estimate and nothing else", async () => {
    const [own, other] = await Promise.all(
      [{}, { simulateFromAddress: "0x2222222222222222222222222222222222222222" }].map((extra) =>
        callApi(api, "/prepare/remit", { method: "POST", body: { from: devnet.keeper.address, ...extra } }),
      ),
    );
    for (const field of ["unsignedTransactions", "simulation", "preflight"]) {
      expect(other?.body[field]).toEqual(own?.body[field]);
    }
    expect(other?.body.gasEstimates).toHaveLength(1);
  });

  test("a mined remit is found with its decoded events, an unknown hash is unknown", async () => {
    const snapshot = await devnet.client.snapshot();
    const remit = { from: devnet.keeper.address, to: devnet.contract, data: encodeRemit() };
    const { transactionHash: hash } = await send(devnet.client, remit);
    const { body } = await callApi(api, "/transactions/status", { method: "POST", body: { txHash: hash } });
    expect(body).toMatchObject({ status: "success", confirmed: true, transactionHash: hash });
    const names = Object(body.events).map((event: { eventName: string }) => event.eventName);
    expect(names).toContain("CallerLog");
    const other = { txHash: `0x${"12".repeat(32)}` };
    const unknown = await callApi(api, "/transactions/status", { method: "POST", body: other });
    expect(unknown.body).toMatchObject({ status: "unknown", confirmed: false });
    await devnet.client.revert({ id: snapshot });
  });

  test("when the worker has died, a poller gets 200 with stale, not 304, after STALE_AFTER_MS", async () => {
    clock.now += 1;
    await scan();
    const computedAt = new Date(clock.now).toISOString();
    await untilServed("/remit/readiness", (asOf) => asOf.computedAt === computedAt);
    const etag = (await callApi(api, "/remit/readiness")).headers.get("etag") ?? "";
    const poll = () => callApi(api, "/remit/readiness", { headers: { "If-None-Match": etag } });
    clock.now += STALE_AFTER_MS;
    expect((await poll()).status).toBe(304);
    clock.now += 1;
    const late = await poll();
    expect(late.status).toBe(200);
    expect(late.body.asOf).toMatchObject({ stale: true, source: "snapshot" });
    expect(late.headers.get("x-as-of")).toEndWith(";1");
    expect((await callApi(api, "/status")).body.status).toBe("degraded");
    await scan();
    await waitUntil("fresh again", async () => (await poll()).status === 304);
  });
});

/** The connection that is cut during the test. */
const broken = { run: database.database.run };

test("while the database does not answer, the latest snapshots are served, and /status reports it", async () => {
  await scan();
  const url = new URL(database.url);
  url.port = "9";
  const away = connectDatabase({ url: url.href });
  const lost = await startTestApi({
    database: { url: database.url, database: { ...database.database, run: (...work) => broken.run(...work) } },
    rpcUrl: devnet.url,
    contract: devnet.contract,
    clock: () => clock.now,
    env: { STALE_AFTER_MS: "1001", SCAN_INTERVAL_MS: "1000" },
  });
  broken.run = away.run;
  await waitUntil("the database is missed", async () => {
    const { body } = await callApi(lost, "/status");
    return Reflect.get(Object(body.checks), "database").status === "down";
  });
  const { status, body } = await callApi(lost, "/remit/readiness");
  expect([status, Object(body.asOf).source]).toEqual([200, "snapshot"]);
  await lost.stop();
  await away.close();
});

test("/status names a snapshot that cannot be read, reports the database as ok, and the others are served", async () => {
  await scan();
  await database.database.sql`update snapshots set payload = '{"broken', hash = 'broken' where kind like 'tokens%'`;
  const fresh = await startTestApi({ database, rpcUrl: devnet.url, contract: devnet.contract, clock: () => clock.now });
  expect((await callApi(fresh, "/status")).body).toMatchObject({
    status: "degraded",
    checks: { database: { status: "ok" }, chains: [{ reason: expect.stringMatching(/cannot be read.*: tokens/) }] },
  });
  expect((await callApi(fresh, "/remit/readiness")).body.asOf).toMatchObject({ source: "snapshot" });
  expect((await callApi(fresh, "/approved-tokens")).body.asOf).toMatchObject({ source: "live" });
  await fresh.stop();
});

test("a polled URL changes to the next day with the chain", async () => {
  const dayServed = async () => {
    const { dayNumber, asOf } = (await callApi(api, "/subscriptions/due")).body;
    return Object(asOf).source === "snapshot" ? dayNumber : null;
  };
  await scan();
  await waitUntil("today is served", async () => (await dayServed()) === TODAY);
  await devnet.client.setNextBlockTimestamp({ timestamp: BigInt((TODAY + 1) * 86_400) });
  await devnet.client.mine({ blocks: 1 });
  clock.now = (TODAY + 1) * 86_400_000;
  await scan();
  await waitUntil("the next day is served", async () => (await dayServed()) === TODAY + 1);
});

// Checked by tsc: the list is the source of a client's types.
test("the list keeps names, inputs and outputs; a client may leave out what has a default", () => {
  expectTypeOf<"get_subscriptions_due" | "prepare_subscribe_by_id">().toExtend<OperationName>();
  expectTypeOf<Input<"get_subscriptions_due">>().toEqualTypeOf<{
    dayNumber?: number;
    date?: string;
    frequency?: 0 | 1 | 2 | 3;
    account?: string;
    provider?: string;
    subscription?: string;
    first?: number;
    skip?: number;
    atBlock?: string;
    detail?: "summary" | "full";
  }>();
  expectTypeOf<Pick<Input<"prepare_subscribe_by_id">, "from" | "id" | "infiniteApproval">>().toEqualTypeOf<{
    from: `0x${string}`;
    id: `0x${string}`;
    infiniteApproval?: boolean;
  }>();
  expectTypeOf<Output<"get_fee_balance">["feeBalanceRaw"]>().toEqualTypeOf<string>();
  expectTypeOf<Extract<Output<"prepare_remit">, { readinessOnly: true }>["ready"]>().toEqualTypeOf<boolean>();
});
