import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit, someAddress } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { waitFor } from "@dueday/db/waitFor";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const SECRET = "an admin secret for tests";
const admin = { "X-Service-Admin-Key": SECRET };
const clock = { now: Date.now() };

const database = await createTestDatabase();
const api = await startTestApi({
  database,
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  clock: () => clock.now,
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET: SECRET,
    DEVELOPER_PORTAL_URL: "https://portal.example",
    CORS_ORIGINS: "https://app.example",
    LIMIT_FREE_GLOBAL_RPM: "2",
    LIMIT_DEVELOPER_GLOBAL_RPM: "3",
  },
});
afterAll(() => api.stop());

async function createKey(): Promise<{ id: string; bearer: { Authorization: string } }> {
  const body = { subjectId: crypto.randomUUID() };
  const created = await callApi(api, "/developer/keys", { method: "POST", headers: admin, body, from: someAddress() });
  return { id: String(created.body.id), bearer: { Authorization: `Bearer ${created.body.key}` } };
}

describe("the free lane", () => {
  test("counts by the client's address; a refusal names the bucket, its limit, when to retry and how to get more", async () => {
    const from = someAddress();
    for (const remaining of [1, 0]) {
      const admitted = await callApi(api, "/catalog", { from });
      expect(admitted.status).toBe(200);
      expect(readRateLimit(admitted.headers, "RateLimit").global).toEqual({ r: remaining, t: 60 });
    }
    const refused = await callApi(api, "/catalog", { from });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-service-lane")).toBe("free");
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.body).toMatchObject({
      code: "RATE_LIMITED",
      lane: "free",
      bucket: "globalRpm",
      limit: 2,
      windowSeconds: 60,
      upgradeHint: expect.stringContaining("https://portal.example"),
      requestId: refused.headers.get("x-request-id"),
    });
    expect((await callApi(api, "/catalog", { from: someAddress() })).status).toBe(200);
  });

  test("a request sent at Retry-After is admitted", async () => {
    const from = someAddress();
    for (const stepMs of [0, 20_500]) {
      clock.now += stepMs;
      await callApi(api, "/catalog", { from });
    }
    const refused = await callApi(api, "/catalog", { from });
    expect(refused.headers.get("retry-after")).toBe("40");
    clock.now += 39_000;
    expect((await callApi(api, "/catalog", { from })).status).toBe(429);
    clock.now += 1_000;
    expect((await callApi(api, "/catalog", { from })).status).toBe(200);
  });

  test("an IPv6 client is counted by its /64", async () => {
    for (const host of ["1", "2"]) await callApi(api, "/catalog", { from: `2001:db8:5::${host}` });
    expect((await callApi(api, "/catalog", { from: "2001:db8:5::ffff" })).status).toBe(429);
    expect((await callApi(api, "/catalog", { from: "2001:db8:5:1::1" })).status).toBe(200);
  });
});

describe("the developer lane", () => {
  test("counts by the key, from any address, at its own limits", async () => {
    const { bearer } = await createKey();
    for (const remaining of [2, 1, 0]) {
      const answer = await callApi(api, "/catalog", { headers: bearer, from: someAddress() });
      expect(answer.headers.get("x-service-lane")).toBe("developer");
      expect(readRateLimit(answer.headers, "RateLimit").global?.r).toBe(remaining);
    }
    const refused = await callApi(api, "/catalog", { headers: bearer, from: someAddress() });
    expect([refused.status, refused.body.lane, refused.body.limit]).toEqual([429, "developer", 3]);
    expect((await callApi(api, "/catalog", { headers: (await createKey()).bearer })).status).toBe(200);
  });

  test("the scheme may be written in any case", async () => {
    const { bearer } = await createKey();
    const headers = { authorization: bearer.Authorization.replace("Bearer", "bEARER") };
    expect((await callApi(api, "/catalog", { headers })).headers.get("x-service-lane")).toBe("developer");
  });

  test("a mistyped, unknown, malformed or foreign credential is 401 on any path, never the free lane", async () => {
    const { bearer } = await createKey();
    const last = bearer.Authorization.at(-1) === "0" ? "1" : "0";
    const wrong = [
      bearer.Authorization.slice(0, -1) + last,
      `Bearer ${SECRET.replaceAll(" ", "-")}`,
      "Bearer dueday_",
      "Bearer",
      "Basic dXNlcjpwYXNz",
      bearer.Authorization.slice("Bearer ".length),
    ];
    for (const path of ["/catalog", "/status", "/nothing"]) {
      for (const authorization of wrong) {
        const answer = await callApi(api, path, { headers: { authorization }, from: someAddress() });
        expect([answer.status, answer.body.code]).toEqual([401, "UNAUTHORIZED"]);
        expect(answer.headers.get("x-service-lane")).toBe("none");
        expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      }
    }
  });

  test("a revoked key is refused, in the process that revoked it at once and in another soon", async () => {
    const { id, bearer } = await createKey();
    const other = await startTestApi({
      database,
      rpcUrl: "http://127.0.0.1:1",
      contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
      env: { ADMIN_SECRET: SECRET },
    });
    const statusAt = async (at: { url: string }) => (await callApi(at, "/status", { headers: bearer })).status;
    expect(await statusAt(other)).not.toBe(401);
    expect((await callApi(api, `/developer/keys/${id}`, { method: "DELETE", headers: admin })).status).toBe(200);
    expect(await statusAt(api)).toBe(401);
    expect(await waitFor(async () => (await statusAt(other)) === 401, 10_000)).toBe(true);
    await other.stop();
  });
});

test("failed authentications of one address are 401 thirty times in a minute, then 429; a key in use and no key still pass", async () => {
  const from = someAddress();
  const { bearer } = await createKey();
  expect((await callApi(api, "/catalog", { headers: bearer })).status).toBe(200);
  const fail = () => callApi(api, "/catalog", { headers: { authorization: "Bearer wrong" }, from });
  for (let failed = 0; failed < 30; failed += 1) expect((await fail()).status).toBe(401);
  const refused = await fail();
  expect([refused.status, refused.body.lane, refused.body.limit]).toEqual([429, "none", 30]);
  expect(refused.headers.get("x-service-lane")).toBe("none");
  expect((await callApi(api, "/catalog", { headers: bearer, from })).status).toBe(200);
  expect((await callApi(api, "/catalog", { from })).status).toBe(200);
  clock.now += 60_000;
  expect((await fail()).status).toBe(401);
});

describe("every answer", () => {
  test("names lane, request and rules for browsers, errors included", async () => {
    const answers = await Promise.all([
      callApi(api, "/catalog", { from: someAddress() }),
      callApi(api, "/nothing", { from: someAddress() }),
      callApi(api, "/catalog?chainId=zero", { from: someAddress() }),
      callApi(api, "/catalog", { headers: { authorization: "Bearer x" }, from: someAddress() }),
      callApi(api, "/prepare/remit", { method: "POST", body: [], from: someAddress() }),
      callApi(api, "/docs", { from: someAddress() }),
    ]);
    for (const { headers } of answers) {
      expect(headers.get("x-service-lane")).toMatch(/^(free|none)$/);
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
  });

  test("can be read by pages of the listed origins only", async () => {
    const originOf = async (origin: string, method = "GET") =>
      (await callApi(api, "/catalog", { method, headers: { origin }, from: someAddress() })).headers.get(
        "access-control-allow-origin",
      );
    expect(await originOf("https://app.example")).toBe("https://app.example");
    expect(await originOf("https://app.example", "OPTIONS")).toBe("https://app.example");
    expect(await originOf("https://other.example")).toBeNull();
  });

  test("to a preflight allows the methods and headers of the path", async () => {
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const answer = await callApi(api, "/prepare/remit", { method: "OPTIONS", headers, from: someAddress() });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect(answer.headers.get("access-control-allow-headers")).toContain("Authorization, Content-Type");
  });
});

test("the catalog shows the limits in force", async () => {
  const { body } = await callApi(api, "/catalog", { from: someAddress() });
  expect(body).toMatchObject({
    developerKeysEnabled: true,
    access: {
      rest: {
        free: { auth: "none", limits: { globalRpm: 2 } },
        developer: { enabled: true, auth: "Authorization: Bearer <API_KEY>", limits: { globalRpm: 3 } },
      },
    },
  });
});
