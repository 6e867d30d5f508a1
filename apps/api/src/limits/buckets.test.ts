import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit, someAddress } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { operations } from "../operations/operations";

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const FIGURES = {
  GLOBAL_RPM: "11",
  EXPENSIVE_RPM: "12",
  SUBGRAPH_DAILY: "13",
  WRITE_RPM: "14",
  WRITE_DAILY: "15",
  DAILY_TOTAL_REQUESTS: "16",
};
/** It stands still: no window slides, and no day ends, in the middle of a test. */
const now = Date.now();
const api = await startTestApi({
  clock: () => now,
  database: await createTestDatabase(),
  // Buckets are taken before a handler runs: no node is needed.
  rpcUrl: "http://127.0.0.1:1",
  contract: CONTRACT,
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET: "an admin secret for tests",
    ...Object.fromEntries(Object.entries(FIGURES).map(([name, limit]) => [`LIMIT_FREE_${name}`, limit])),
  },
});
afterAll(() => api.stop());

const global = { q: 11, w: 60 };
const dailyTotalRequests = { q: 16, w: 86_400 };
const cheap = { global, dailyTotalRequests };
const expensive = { ...cheap, expensive: { q: 12, w: 60 } };
const history = { ...expensive, subgraphDaily: { q: 13, w: 86_400 } };
const write = { write: { q: 14, w: 60 }, writeDaily: { q: 15, w: 86_400 }, dailyTotalRequests };
const unlimited = { dailyTotalRequests };
/** The secret is checked only while failed authentications are left. */
const management = { failedAuthentications: { q: 30, w: 60 }, dailyTotalRequests };

/** What each route takes from, by method and path; prepares are writes. */
const table: Record<string, object> = {
  "GET /": unlimited,
  "GET /status": unlimited,
  "GET /docs": unlimited,
  "GET /docs/errors": unlimited,
  "GET /docs/scalar.js": unlimited,
  "GET /openapi.json": unlimited,
  "GET /catalog": cheap,
  "GET /protocol/state": cheap,
  "GET /subscriptions/due": cheap,
  "GET /subscriptions/due/calendar": cheap,
  "GET /approved-tokens": cheap,
  "GET /approved-tokens/:token": cheap,
  "GET /subscriptions/:id": cheap,
  "GET /subscriptions/:id/fee-balance": cheap,
  "GET /subscriptions/:id/entitlement": cheap,
  "GET /subscriptions/:id/checkout": cheap,
  "GET /names": cheap,
  "GET /permits": cheap,
  "GET /accounts/:address/permits": cheap,
  "GET /events": cheap,
  "GET /remit/readiness": cheap,
  "POST /transactions/status": cheap,
  "POST /check_subscribe_readiness_by_id": cheap,
  "GET /subscriptions": expensive,
  "GET /subscriptions/:id/details": expensive,
  "GET /subscriptions/:id/subscribers": expensive,
  "GET /accounts/:address": expensive,
  "GET /accounts/:address/health": cheap,
  "GET /accounts/:address/charges": cheap,
  "GET /accounts/:address/charges.ics": cheap,
  "GET /accounts/:address/subscriptions": expensive,
  "GET /remit/plan": expensive,
  "GET /remit/forecast": expensive,
  "GET /remit/history": expensive,
  "GET /remit/keepers": expensive,
  "GET /accounts/:address/spending": expensive,
  "GET /accounts/:address/statement": expensive,
  "GET /providers/:address/payments": expensive,
  "GET /providers/:address/income": expensive,
  "GET /providers/:address/metrics": expensive,
  "GET /providers/:address/cohorts": expensive,
  "GET /providers/:address/at-risk": expensive,
  "GET /subscriptions/:id/history": history,
  "GET /subscriptions/:id/details-history": history,
  "GET /accounts/:address/activity": history,
  "GET /providers/:address": history,
  "POST /check_subscribe_readiness": write,
  "POST /check_remit_readiness": write,
  "POST /permits": write,
  "DELETE /permits/:permitId": write,
  "GET /webhooks": cheap,
  "GET /webhooks/:id": cheap,
  "GET /webhooks/:id/deliveries": cheap,
  "POST /webhooks": cheap,
  "PATCH /webhooks/:id": cheap,
  "DELETE /webhooks/:id": cheap,
  "POST /webhooks/:id/challenge": cheap,
  "POST /webhooks/:id/test": cheap,
  "POST /webhooks/:id/rotate": cheap,
  "POST /webhooks/:id/replay": cheap,
  "POST /webhooks/:id/deliveries/:deliveryId/redeliver": cheap,
  "POST /developer/keys": management,
  "GET /developer/keys": management,
  "DELETE /developer/keys/:id": management,
  // Without the Origin of the portal's pages no challenge is issued.
  "POST /portal/challenge": cheap,
  "POST /portal/session": cheap,
  "GET /portal/session": cheap,
  "DELETE /portal/session": cheap,
  "POST /portal/keys": cheap,
  "GET /portal/keys": cheap,
  "DELETE /portal/keys/:id": cheap,
  "GET /portal/usage": cheap,
  "GET /portal/checkout": cheap,
  "PUT /portal/checkout": cheap,
  "GET /portal/reminders": cheap,
  "PUT /portal/reminders": cheap,
  "DELETE /portal/reminders": cheap,
  "POST /reminders/confirm": cheap,
  "POST /reminders/unsubscribe": cheap,
};

function expected(method: string, path: string): object | undefined {
  return path.startsWith("/prepare/") ? write : table[`${method} ${path}`];
}

/** What a request that meets fresh buckets was counted in, and that it took one of each; right credentials take no failure. */
async function consulted(method: string, path: string): Promise<object> {
  const headers = path.includes("/developer/") ? { "X-Service-Admin-Key": "an admin secret for tests" } : {};
  const { headers: answered } = await callApi(api, path, { method, from: someAddress(), headers });
  const policy = readRateLimit(answered, "RateLimit-Policy");
  for (const [name, left] of Object.entries(readRateLimit(answered, "RateLimit")))
    expect(left.r).toBe(Number(policy[name]?.q) - (name === "failedAuthentications" ? 0 : 1));
  return policy;
}

const PATH_VALUES: Record<string, string> = {
  ":id": `0x${"ab".repeat(32)}`,
  ":address": CONTRACT,
  ":token": CONTRACT,
};

describe("takes one from each of its buckets and from no other:", () => {
  const listed = operations.map(({ http }) => [http.method, http.path] as const);
  const pages = ["/docs", "/docs/errors", "/docs/scalar.js", "/openapi.json"].map((path) => ["GET", path] as const);
  test.each([...listed, ...pages])("%s %s", async (method, path) => {
    const buckets = expected(method, path);
    if (buckets === undefined)
      throw new Error(`add ${method} ${path} to the table of this test, with the buckets that it takes from`);
    const concrete = path.replace(/:\w+/g, (name) => PATH_VALUES[name] ?? name);
    expect(await consulted(method, concrete)).toEqual(buckets);
    expect(await consulted(method, `/api${concrete}`)).toEqual(buckets);
  });

  test("a path that does not exist, or not with this method", async () => {
    for (const [method, path] of [
      ["GET", "/nothing/here"],
      ["POST", "/nothing"],
      ["DELETE", "/catalog"],
      ["PUT", "/prepare/remit"],
    ] as const)
      expect(await consulted(method, path)).toEqual(cheap);
  });

  test("a request with invalid input", async () => {
    expect(await consulted("GET", "/subscriptions/due?frequency=99")).toEqual(cheap);
    expect(await consulted("POST", "/prepare/remit?unknown=1")).toEqual(write);
  });

  test("OPTIONS to a path that does not exist", async () => {
    expect(await consulted("OPTIONS", "/nothing/here")).toEqual(cheap);
  });
});

test("a preflight takes from no bucket, and no credentials are checked with it", async () => {
  const headers = { Authorization: "Bearer dueday_wrong" };
  for (const path of ["/prepare/remit", "/api/catalog", "/developer/keys", "/mcp"]) {
    const from = someAddress();
    // More of them than failed authentications are allowed.
    for (let sent = 0; sent < 31; sent += 1) {
      const { status, headers: fields } = await callApi(api, path, { method: "OPTIONS", headers, from });
      expect([status, fields.get("ratelimit")]).toEqual([204, null]);
    }
  }
  expect((await callApi(api, "/nothing", { method: "OPTIONS", headers, from: someAddress() })).status).toBe(401);
});

test("HEAD is counted as GET", async () => {
  expect(await consulted("HEAD", "/catalog")).toEqual(cheap);
});

test("a client that has used up its day is refused everywhere but on unlimited paths", async () => {
  const from = someAddress();
  for (let sent = 0; sent < 16; sent += 1) expect((await callApi(api, "/status", { from })).status).not.toBe(429);
  expect((await callApi(api, "/catalog", { from })).body).toMatchObject({ bucket: "dailyTotalRequests", limit: 16 });
  for (const path of ["/", "/status", "/docs", "/openapi.json"])
    expect((await callApi(api, path, { from })).status).not.toBe(429);
});

describe("a request that is refused before its route counts in the day of its address:", () => {
  test.each([
    ["an unknown chainId", "/catalog?chainId=1", {}, 400],
    ["a malformed chainId on an unknown path", "/nowhere?chainId=0x1", {}, 400],
    ["a chainId that is given twice", "/status?chainId=31337&chainId=31337", {}, 400],
    ["an invalid key", "/catalog", { Authorization: `Bearer dueday_${"a".repeat(46)}` }, 401],
  ] as const)("%s", async (_, path, headers, status) => {
    const from = someAddress();
    const first = await callApi(api, path, { from, headers });
    expect(first.status).toBe(status);
    expect(readRateLimit(first.headers, "RateLimit").dailyTotalRequests?.r).toBe(15);
    for (let request = 0; request < 15; request++) await callApi(api, path, { from, headers });
    const beyond = await callApi(api, path, { from, headers });
    expect([beyond.status, beyond.body.code, beyond.body.bucket]).toEqual([429, "RATE_LIMITED", "dailyTotalRequests"]);
    expect((await callApi(api, "/catalog", { from })).status).toBe(429);
  });

  test("its minute stays as it was", async () => {
    const from = someAddress();
    await callApi(api, "/catalog?chainId=1", { from });
    const { headers } = await callApi(api, "/catalog", { from });
    expect(readRateLimit(headers, "RateLimit").global?.r).toBe(10);
  });
});
