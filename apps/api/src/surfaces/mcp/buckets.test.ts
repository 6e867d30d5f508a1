import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit, someAddress } from "@dueday/api/test/callApi";
import { postMcp } from "@dueday/api/test/connectMcp";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { LISTING_BYTES } from "../../limits/policy";
import { operations } from "../../operations/operations";
import { createTools } from "./tool";

const ADMIN_SECRET = "an admin secret for tests";
/** It stands still: no window slides, and no day ends, in the middle of a test. */
const now = Date.now();
const api = await startTestApi({
  clock: () => now,
  database: await createTestDatabase(),
  // Buckets are taken before a handler runs: no node is needed.
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET,
    LIMIT_FREE_GLOBAL_RPM: "5",
    LIMIT_FREE_EXPENSIVE_RPM: "5",
    LIMIT_FREE_SUBGRAPH_DAILY: "5",
    LIMIT_FREE_WRITE_RPM: "3",
    LIMIT_FREE_WRITE_DAILY: "4",
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: "9",
    LIMIT_DEVELOPER_GLOBAL_RPM: "4",
  },
});
afterAll(() => api.stop());

const LIST_CHAINS = { name: "list_chains", arguments: {} };

function toolCall(params: object, id: number | string = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

async function post(body: unknown, headers: Record<string, string>) {
  const response = await postMcp(api, body, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : Object(JSON.parse(text)) };
}

/** How much was taken of each bucket that was consulted. */
function taken(headers: Headers): Record<string, number> {
  const policy = readRateLimit(headers, "RateLimit-Policy");
  const left = readRateLimit(headers, "RateLimit");
  return Object.fromEntries(Object.entries(policy).map(([name, { q }]) => [name, Number(q) - Number(left[name]?.r)]));
}

const one = { global: 1, dailyTotalRequests: 1 };
const write = { write: 1, writeDaily: 1, dailyTotalRequests: 1 };
const bucketsOf = {
  unlimited: { dailyTotalRequests: 1 },
  rejected: { dailyTotalRequests: 1 },
  cheap: one,
  expensive: { ...one, expensive: 1 },
  history: { ...one, expensive: 1, subgraphDaily: 1 },
  write,
};

describe("a tool call takes one from the buckets of its operation:", () => {
  test.each(createTools(operations).map((tool) => [tool.name, tool] as const))("%s", async (name, tool) => {
    // It is counted as well where its arguments do not fit.
    const { headers } = await post(toolCall({ name, arguments: { unknown: 1 } }), { "X-Forwarded-For": someAddress() });
    expect(taken(headers)).toEqual(bucketsOf[tool.mcpBucket ?? tool.bucket]);
  });

  test("check_subscribe_readiness_by_id costs a write over MCP and none over REST", async () => {
    const name = "check_subscribe_readiness_by_id";
    const overMcp = await post(toolCall({ name, arguments: {} }), { "X-Forwarded-For": someAddress() });
    expect(taken(overMcp.headers)).toEqual(write);
    const overRest = await callApi(api, `/${name}`, { method: "POST", body: {}, from: someAddress() });
    expect(taken(overRest.headers)).toEqual(one);
  });
});

test("a message that calls no tool takes from the lane's limits only where it is not the first of its request", async () => {
  const headers = { "X-Forwarded-For": someAddress() };
  const messages = ["initialize", "ping", "tools/list", "prompts/list", "resources/list", "nothing/known"];
  let counted = 0;
  for (const [id, method] of messages.entries()) {
    const answered = await post({ jsonrpc: "2.0", id, method }, headers);
    counted += Math.ceil(JSON.stringify(answered.body).length / LISTING_BYTES);
    expect([method, answered.status, taken(answered.headers)]).toEqual([method, 200, { mcpListings: counted }]);
  }
  expect(taken((await post(toolCall(LIST_CHAINS), headers)).headers)).toEqual(one);
  const notified = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  expect([notified.status, taken(notified.headers)]).toEqual([202, { mcpListings: counted + 1 }]);

  const batch = ["tools/list", "ping", "tools/list"].map((method, id) => ({ jsonrpc: "2.0", id, method }));
  const listed = await post(batch, { "X-Forwarded-For": someAddress() });
  const { mcpListings: sizes, ...others } = taken(listed.headers);
  expect(others).toEqual({ global: 2, dailyTotalRequests: 2 });
  expect(sizes).toBeGreaterThanOrEqual(Math.ceil(JSON.stringify(listed.body).length / LISTING_BYTES));
});

test("an address gets at most 4 MiB of lists a minute, whether they are requested one by one or in batches", async () => {
  const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
  for (const size of [1, 3]) {
    const headers = { "X-Forwarded-For": someAddress() };
    let bytes = 0;
    for (let status = 200; status === 200; ) {
      const answered = await post(
        Array.from({ length: size }, (_, id) => list(id)),
        headers,
      );
      status = answered.status;
      if (status === 200) bytes += JSON.stringify(answered.body).length;
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(4 * 2 ** 20);
  }
});

test("an address has 120 messages a minute that call no tool, over both lanes and the free first ones included", async () => {
  const headers = { "X-Forwarded-For": someAddress() };
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  for (let sent = 0; sent < 120; sent += 1) expect((await post(ping, headers)).status).toBe(200);
  const refused = await post(ping, headers);
  expect([refused.status, refused.body.error.data]).toMatchObject([
    429,
    { code: "RATE_LIMITED", bucket: "mcpListings", limit: 120, windowSeconds: 60 },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const created = await callApi(api, "/developer/keys", {
    method: "POST",
    headers: { "X-Service-Admin-Key": ADMIN_SECRET },
    body: { subjectId: "lister" },
  });
  expect((await post(ping, { ...headers, Authorization: `Bearer ${created.body.key}` })).status).toBe(429);
  expect((await post(toolCall(LIST_CHAINS), headers)).status).toBe(200);
  expect((await post(ping, { "X-Forwarded-For": someAddress() })).status).toBe(200);
});

test("a request that can't be read, an unknown tool and a resource count as one cheap read", async () => {
  const bodies = ["{", [], 7, toolCall({ name: "no_such_tool" }), toolCall({})];
  const read = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "dueday://errors" } };
  for (const body of [...bodies, read])
    expect(taken((await post(body, { "X-Forwarded-For": someAddress() })).headers)).toEqual(one);
  const refused = await post(toolCall(LIST_CHAINS), {
    "X-Forwarded-For": someAddress(),
    Origin: "https://evil.example",
  });
  expect([refused.status, taken(refused.headers)]).toEqual([403, one]);
});

describe("a batch", () => {
  test("counts each of its calls, in one step", async () => {
    const headers = { "X-Forwarded-For": someAddress() };
    const calls = [1, 2, 3].map((id) => toolCall(LIST_CHAINS, id));
    const answered = await post([...calls, { jsonrpc: "2.0", id: 4, method: "ping" }], headers);
    expect([answered.status, Object.keys(answered.body).length]).toEqual([200, 4]);
    expect(taken(answered.headers)).toEqual({ global: 3, dailyTotalRequests: 3, mcpListings: 1 });
  });

  test("that does not fit is refused whole and takes nothing", async () => {
    const headers = { "X-Forwarded-For": someAddress() };
    const prepares = [1, 2, 3, 4].map((id) => toolCall({ name: "prepare_remit", arguments: {} }, id));
    const refused = await post([...prepares, toolCall(LIST_CHAINS, 5)], headers);
    expect([refused.status, refused.body.id, refused.body.error.data.code]).toEqual([429, null, "RATE_LIMITED"]);
    expect(taken((await post(toolCall(LIST_CHAINS), headers)).headers)).toEqual(one);
    expect(taken((await post(prepares[0], headers)).headers)).toMatchObject({ write: 1, dailyTotalRequests: 2 });
  });
});

test("a key is counted in the same buckets over REST and MCP, whatever addresses it comes from", async () => {
  const created = await callApi(api, "/developer/keys", {
    method: "POST",
    headers: { "X-Service-Admin-Key": ADMIN_SECRET },
    body: { subjectId: "agent" },
  });
  const authorization = { Authorization: `Bearer ${created.body.key}` };
  const overMcp = () => post(toolCall(LIST_CHAINS), { ...authorization, "X-Forwarded-For": someAddress() });
  const overRest = () => callApi(api, "/catalog", { headers: authorization, from: someAddress() });
  for (const [index, answered] of [await overMcp(), await overRest(), await overRest(), await overMcp()].entries()) {
    expect([answered.status, answered.headers.get("x-service-lane")]).toEqual([200, "developer"]);
    expect(taken(answered.headers)).toEqual({ global: index + 1, dailyTotalRequests: index + 1 });
  }
  const refused = await overMcp();
  expect([refused.status, refused.headers.get("x-service-lane")]).toEqual([429, "developer"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.body).toMatchObject({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32000, data: { code: "RATE_LIMITED", lane: "developer", bucket: "globalRpm", limit: 4 } },
  });
  expect((await overRest()).status).toBe(429);
});

test("a key that is not valid is 401 with the envelope, and falls back to nothing", async () => {
  const headers = { Authorization: "Bearer dueday_wrong", "X-Forwarded-For": someAddress() };
  const refused = await post(toolCall(LIST_CHAINS), headers);
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect(refused.headers.get("x-service-lane")).toBe("none");
  const { error } = refused.body;
  expect([error.code, error.data.code]).toEqual([-32000, "UNAUTHORIZED"]);
  expect(error.data.requestId).toBe(refused.headers.get("x-request-id"));
});
