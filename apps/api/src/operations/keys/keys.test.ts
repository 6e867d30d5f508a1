import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, type Call, callApi, readRateLimit, someAddress } from "@dueday/api/test/callApi";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const DAILY = 500;
const SECRET = "an-admin-secret-for-tests";
const byHeader = { "X-Service-Admin-Key": SECRET };
const byBearer = { Authorization: `Bearer ${SECRET}` };
const node = { rpcUrl: "http://127.0.0.1:1", contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };

const database = await createTestDatabase();
const clock = { now: Date.now() };
const api = await startTestApi({
  ...node,
  database,
  clock: () => clock.now,
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET: SECRET,
    MAX_KEYS_PER_SUBJECT: "2",
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: String(DAILY),
  },
});
afterAll(() => api.stop());

/** A request with the admin secret, from a new address. */
function manage(path: string, call: Call = {}) {
  return callApi(api, path, { headers: byHeader, from: someAddress(), ...call });
}

function create(subjectId: string, call: Call = {}) {
  return manage("/developer/keys", { method: "POST", body: { subjectId }, ...call });
}

test("a key is created, listed without its text, used and revoked, by either form of admin authentication", async () => {
  const body = { subjectId: "customer 1", label: "keeper" };
  const created = await create("", { headers: byBearer, body });
  expect(created.status).toBe(201);
  expect(created.headers.get("cache-control")).toBe("no-store");
  const { id, key, prefix, createdAt } = created.body;
  expect(created.body).toEqual({ ...body, id, key, prefix, createdAt, warning: expect.any(String) });
  expect(key).toMatch(/^dueday_[0-9A-Za-z]{46}$/);

  const path = "/developer/keys?subjectId=customer%201";
  const listed = await manage(path);
  const unused = { ...body, id, prefix, createdAt, lastUsedAt: null, revokedAt: null };
  expect(listed.body).toEqual({ keys: [unused], count: 1, hasMore: false });

  const revoked = await manage(`/developer/keys/${id}`, { method: "DELETE", headers: byBearer });
  expect(revoked.body).toEqual({ id, revokedAt: expect.any(String) });
  const again = await manage(`/api/developer/keys/${id}`, { method: "DELETE" });
  expect([again.status, again.body]).toEqual([200, revoked.body]);
  expect((await manage(path)).body.keys).toEqual([{ ...unused, revokedAt: revoked.body.revokedAt }]);
});

test("half a surrogate pair is refused by its field's name: it would be stored as another text", async () => {
  for (const [field, body] of [
    ["subjectId", { subjectId: "customer \ud83d" }],
    ["label", { subjectId: "customer 2", label: "\udc00 keeper" }],
  ] as const) {
    const refused = await create("", { body });
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(refused.body.issues).toMatchObject([{ code: "MALFORMED", path: field }]);
  }
});

test("a subject has its maximum of active keys, and a revocation makes room", async () => {
  const { body } = await create("busy");
  expect((await create("busy")).status).toBe(201);
  const full = await create("busy");
  expect([full.status, full.body.code]).toEqual([409, "MAX_KEYS"]);
  await manage(`/developer/keys/${body.id}`, { method: "DELETE" });
  expect((await create("busy")).status).toBe(201);
});

test("an unknown id is 404, a malformed one and a missing subject are 400", async () => {
  const unknown = await manage(`/developer/keys/${crypto.randomUUID()}`, { method: "DELETE" });
  expect([unknown.status, unknown.body.code]).toEqual([404, "NOT_FOUND"]);
  expect((await manage("/developer/keys/17", { method: "DELETE" })).status).toBe(400);
  expect((await manage("/developer/keys")).status).toBe(400);
  expect((await create("line\nbreak")).status).toBe(400);
});

test("a long list comes in pages", async () => {
  const subjectId = "pages";
  for (let index = 0; index < 3; index += 1) {
    clock.now += 60_000;
    const { body } = await create(subjectId);
    await manage(`/developer/keys/${body.id}`, { method: "DELETE" });
  }
  const page = (skip: number) => manage(`/developer/keys?subjectId=${subjectId}&first=2&skip=${skip}`);
  expect((await page(0)).body).toMatchObject({ count: 3, hasMore: true, nextSkip: 2 });
  expect((await page(2)).body).toMatchObject({ count: 3, hasMore: false, keys: [{ subjectId }] });
});

describe("without the right admin secret", () => {
  test("every path of key management is 401, an unknown one too", async () => {
    const wrong = [{}, { Authorization: "Bearer wrong" }, { "X-Service-Admin-Key": `${SECRET}x` }];
    for (const headers of wrong) {
      for (const [method, path] of [
        ["GET", "/developer/keys?subjectId=a"],
        ["POST", "/developer/keys"],
        ["DELETE", `/developer/keys/${crypto.randomUUID()}`],
        ["PUT", "/developer/keys"],
        ["GET", "/developer/keys/a/b"],
      ] as const) {
        const answer = await manage(path, { method, headers });
        expect([answer.status, answer.body.code]).toEqual([401, "UNAUTHORIZED"]);
        expect(answer.headers.get("x-service-lane")).toBe("none");
        expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      }
    }
  });

  test("a developer key gives no access", async () => {
    const { body } = await create("no admin");
    const headers = { Authorization: `Bearer ${body.key}` };
    expect((await manage("/developer/keys?subjectId=a", { headers })).status).toBe(401);
  });

  test("after thirty failures in a minute even the right secret has to wait", async () => {
    const from = someAddress();
    const attempt = (secret: string) =>
      manage("/developer/keys?subjectId=a", { headers: { "X-Service-Admin-Key": secret }, from });
    for (let failed = 0; failed < 30; failed += 1) expect((await attempt("guess")).status).toBe(401);
    expect((await attempt("guess")).status).toBe(429);
    const refused = await attempt(SECRET);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    clock.now += 60_000;
    expect((await attempt(SECRET)).status).toBe(200);
  });
});

describe("creations are limited", () => {
  test("to 5 a minute for a subject, from any address", async () => {
    for (let index = 0; index < 5; index += 1) expect((await create("eager")).status).not.toBe(429);
    const refused = await create("eager");
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ bucket: "keyCreationsPerSubject", limit: 5, windowSeconds: 60 });
    expect(refused.headers.get("ratelimit")).toContain('"keyCreationsPerSubject";r=0');
  });

  test("to 10 a minute for an address, for any subject", async () => {
    const from = someAddress();
    for (let index = 0; index < 10; index += 1) expect((await create(`many ${index}`, { from })).status).toBe(201);
    expect((await create("one more", { from })).body).toMatchObject({ bucket: "keyCreationsPerAddress", limit: 10 });
    expect((await create("one more")).status).toBe(201);
  });
});

describe("a creation that is refused takes nothing from the route's bucket, and every answer names all buckets", () => {
  const bucketNames = [
    "failedAuthentications",
    "dailyTotalRequests",
    "keyCreationsPerAddress",
    "keyCreationsPerSubject",
  ];

  async function usedToday(from: string): Promise<number> {
    const { headers } = await callApi(api, "/status", { from });
    const left = readRateLimit(headers, "RateLimit").dailyTotalRequests?.r ?? Number.NaN;
    return DAILY - left;
  }

  test("201 takes one, 409 and 429 take none, and 401 one of the day of its address", async () => {
    const from = someAddress();
    const statuses: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      const { status, headers } = await create("one subject", { from });
      statuses.push(status);
      for (const field of ["RateLimit", "RateLimit-Policy"] as const)
        expect(Object.keys(readRateLimit(headers, field))).toEqual(bucketNames);
      const left = readRateLimit(headers, "RateLimit");
      expect(left.dailyTotalRequests?.r).toBe(DAILY - Math.min(index + 1, 2));
      expect(left.keyCreationsPerSubject?.r).toBe(Math.max(0, 4 - index));
    }
    expect(statuses).toEqual([201, 201, 409, 409, 409, 429]);
    expect((await create("one subject", { from, headers: { "X-Service-Admin-Key": "wrong" } })).status).toBe(401);
    // Two were created, one had wrong credentials, and the request that asks is the fourth.
    expect(await usedToday(from)).toBe(4);
  });
});

test("a browser's preflight of key management needs no credentials and takes from no bucket", async () => {
  const open = await startTestApi({
    ...node,
    database,
    env: { ADMIN_SECRET: SECRET, CORS_ORIGINS: "https://a.example" },
  });
  for (const [path, method] of [
    ["/developer/keys", "POST"],
    [`/developer/keys/${crypto.randomUUID()}`, "DELETE"],
  ] as const) {
    const headers = {
      Origin: "https://a.example",
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "content-type,x-service-admin-key",
    };
    const preflight = await callApi(open, path, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://a.example");
    expect(preflight.headers.get("access-control-allow-methods")).toContain(method);
    expect(preflight.headers.get("ratelimit")).toBeNull();
  }
  await open.stop();
});

test.each([
  ["no admin secret is set", {}],
  ["developer keys are switched off", { ADMIN_SECRET: SECRET, DEVELOPER_KEYS_ENABLED: "false" }],
])("key management is 403 when %s", async (_why, env) => {
  const closed = await startTestApi({ ...node, database, env });
  const answer = await callApi(closed, "/developer/keys", {
    method: "POST",
    headers: byBearer,
    body: { subjectId: "a" },
  });
  expect([answer.status, answer.body.code]).toEqual([403, "KEYS_DISABLED"]);
  // It is a request of its day, as every other.
  expect(answer.headers.get("ratelimit")).toStartWith('"dailyTotalRequests";r=');
  expect((await callApi(closed, "/catalog")).body.developerKeysEnabled).toBe(false);
  await closed.stop();
});
