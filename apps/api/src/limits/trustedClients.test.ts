import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const SECRET = "an admin secret for tests";
const database = await createTestDatabase();
const NOW = Date.now();
const shared = {
  database,
  // It stands still: no window slides, and no day ends, in the middle of a test.
  clock: () => NOW,
  // Limits are checked before a handler runs: no node is needed.
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
};
const env = { LIMIT_FREE_GLOBAL_RPM: "2", LIMIT_FREE_WRITE_RPM: "1", ADMIN_SECRET: SECRET };
const api = await startTestApi({
  ...shared,
  env: { ...env, ...BEHIND_PROXY, TRUSTED_CLIENTS: "198.51.100.0/24,2001:db8::/32" },
});
afterAll(() => api.stop());

async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) found.push((await ask()).status);
  return found;
}

describe("a client in TRUSTED_CLIENTS", () => {
  test("is counted and never refused; any other client is refused", async () => {
    for (const from of ["198.51.100.7", "2001:db8::7"]) {
      expect(await statuses(5, () => callApi(api, "/catalog", { from }))).toEqual(Array(5).fill(200));
      const { headers } = await callApi(api, "/catalog", { from });
      expect(readRateLimit(headers, "RateLimit").global?.r).toBe(0);
      const { headers: status } = await callApi(api, "/status", { from });
      expect(readRateLimit(status, "RateLimit").dailyTotalRequests?.r).toBe(1_000_000 - 7);
    }
    expect(await statuses(3, () => callApi(api, "/catalog", { from: "203.0.113.7" }))).toEqual([200, 200, 429]);
  });

  test("may guess the admin secret no more often than others", async () => {
    const headers = { "X-Service-Admin-Key": "a guess" };
    const guess = () => callApi(api, "/developer/keys", { from: "198.51.100.8", headers });
    expect((await statuses(31, guess)).slice(-2)).toEqual([401, 429]);
  });

  test("is not the proxy itself: what an unlisted proxy forwards is limited, whatever it claims", async () => {
    const behind = await startTestApi({ ...shared, env: { ...env, TRUSTED_CLIENTS: "127.0.0.0/8" } });
    const forwarded = () => callApi(behind, "/catalog", { from: "127.0.0.1" });
    expect(await statuses(3, forwarded)).toEqual([200, 200, 429]);
    expect(await statuses(3, () => callApi(behind, "/catalog"))).toEqual([200, 200, 200]);
    await behind.stop();
  });
});

test("the hint of a 429 names GET /events on a polled read, and nowhere else", async () => {
  const hintOf = async (path: string, method: string, from: string) => {
    for (let sent = 0; sent < 2; sent += 1) await callApi(api, path, { method, from });
    const { status, body } = await callApi(api, path, { method, from });
    expect(status).toBe(429);
    return String(body.upgradeHint);
  };
  expect(await hintOf("/protocol/state", "GET", "203.0.113.21")).toContain("GET /events");
  expect(await hintOf("/events", "GET", "203.0.113.22")).not.toContain("GET /events");
  expect(await hintOf("/prepare/remit", "POST", "203.0.113.23")).not.toContain("GET /events");
  expect(await hintOf("/nothing", "GET", "203.0.113.24")).not.toContain("GET /events");
});
