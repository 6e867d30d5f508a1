import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, readRateLimit, someAddress } from "@dueday/api/test/callApi";
import { openPortalBrowser, type PortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const ORIGIN = "https://dueday.example";
const ADMIN_SECRET = "an admin secret for tests";
const database = await createTestDatabase();
const started: TestApi[] = [];

/** A process; without an injected clock, its caches expire as in production. */
async function start(env: Record<string, string> = {}, clock?: () => number): Promise<TestApi> {
  const api = await startTestApi({
    database,
    rpcUrl: "http://127.0.0.1:1",
    contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
    env: { ...BEHIND_PROXY, ADMIN_SECRET, PUBLIC_URL: ORIGIN, MAX_KEYS_PER_SUBJECT: "2", ...env },
    ...(clock === undefined ? {} : { clock }),
  });
  started.push(api);
  return api;
}

const api = await start();
afterAll(async () => {
  for (const each of started) await each.stop();
});

async function signedIn(process = api, wallet = someWallet()): Promise<PortalBrowser> {
  const browser = openPortalBrowser(process, ORIGIN, someAddress());
  expect((await browser.signIn(wallet)).status).toBe(201);
  return browser;
}

const post = (body: unknown = {}) => ({ method: "POST", body });
const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body.code];

describe("keys", () => {
  test("are created, used, listed and revoked by their owner", async () => {
    const wallet = someWallet();
    const browser = await signedIn(api, wallet);
    const created = await browser.send("/portal/keys", post({ label: "keeper" }));
    expect(created.status).toBe(201);
    const { id, key, prefix, createdAt, warning } = created.body;
    const subjectId = `eip155:${wallet.address}`;
    expect(created.body).toEqual({ id, key, prefix, createdAt, warning, subjectId, label: "keeper" });

    const row = { id, subjectId, label: "keeper", prefix, createdAt, lastUsedAt: null, revokedAt: null };
    const unused = await browser.send("/portal/keys");
    expect(unused.body).toEqual({ keys: [row], count: 1, hasMore: false });
    expect(unused.text).not.toContain(String(key));

    const used = await callApi(api, "/catalog", { headers: { Authorization: `Bearer ${key}` }, from: someAddress() });
    expect([used.status, used.headers.get("x-service-lane")]).toEqual([200, "developer"]);
    // A use is stored after its answer was sent. The database is polled: polls of the API would use up the key's limits.
    await waitUntil("the use to be stored", async () => {
      const rows = await database.database
        .sql`select from developer_keys where id = ${String(id)} and last_used_at is not null`;
      return rows.length === 1;
    });
    const listed = await browser.send("/portal/keys");
    expect(listed.body).toEqual({ ...unused.body, keys: [{ ...row, lastUsedAt: expect.any(String) }] });

    const revoked = await browser.send(`/portal/keys/${id}`, { method: "DELETE" });
    expect(revoked.body).toEqual({ id, revokedAt: expect.any(String) });
    expect((await browser.send(`/portal/keys/${id}`, { method: "DELETE" })).body).toEqual(revoked.body);
    expect((await callApi(api, "/catalog", { headers: { Authorization: `Bearer ${key}` } })).status).toBe(401);
  });

  test("of another account are neither listed nor revoked: they are unknown", async () => {
    const { body } = await (await signedIn()).send("/portal/keys", post());
    const other = await signedIn();
    expect((await other.send("/portal/keys")).body).toEqual({ keys: [], count: 0, hasMore: false });
    expect(codeOf(await other.send(`/portal/keys/${body.id}`, { method: "DELETE" }))).toEqual([404, "NOT_FOUND"]);
    const used = await callApi(api, "/catalog", { headers: { Authorization: `Bearer ${body.key}` } });
    expect(used.status).toBe(200);
  });

  test("have the same maximum and limits of creation as those of the admin, and leave a row of audit", async () => {
    const wallet = someWallet();
    const browser = await signedIn(api, wallet);
    const { body } = await browser.send("/portal/keys", post());
    expect((await browser.send("/portal/keys", post())).status).toBe(201);
    expect(codeOf(await browser.send("/portal/keys", post()))).toEqual([409, "MAX_KEYS"]);
    await browser.send(`/portal/keys/${body.id}`, { method: "DELETE" });
    for (let sent = 0; sent < 2; sent += 1) await browser.send("/portal/keys", post());
    expect((await browser.send("/portal/keys", post())).body).toMatchObject({
      bucket: "keyCreationsPerSubject",
      lane: "developer",
    });
    const rows = await database.database.sql<{ action: string }[]>`
      select action from admin_audit where subject_id = ${`eip155:${wallet.address}`} order by id`;
    expect(rows.map(({ action }) => action)).toEqual([
      "owner_create_key",
      "owner_create_key",
      "owner_revoke_key",
      "owner_create_key",
    ]);
  });

  test("can be managed by the admin too, whose routes take no session", async () => {
    const wallet = someWallet();
    const browser = await signedIn(api, wallet);
    const { body } = await browser.send("/portal/keys", post());
    const path = `/developer/keys?subjectId=eip155:${wallet.address}`;
    expect(codeOf(await browser.send(path))).toEqual([401, "UNAUTHORIZED"]);
    const listed = await callApi(api, path, { headers: { "X-Service-Admin-Key": ADMIN_SECRET } });
    expect(listed.body.keys).toMatchObject([{ id: body.id }]);
  });
});

describe("a session", () => {
  test("is the developer lane, whose buckets all sessions of its account share", async () => {
    const wallet = someWallet();
    const limited = await start({ LIMIT_DEVELOPER_GLOBAL_RPM: "10" });
    const [first, second] = [await signedIn(limited, wallet), await signedIn(limited, wallet)];
    const left = async (browser: PortalBrowser) => {
      const { headers } = await browser.send("/catalog");
      expect(headers.get("x-service-lane")).toBe("developer");
      return readRateLimit(headers, "RateLimit").global?.r;
    };
    expect([await left(first), await left(second), await left(first)]).toEqual([9, 8, 7]);
    expect(await left(await signedIn(limited))).toBe(9);
  });

  test("yields to a developer key: the request is the key's", async () => {
    const browser = await signedIn();
    const { body } = await browser.send("/portal/keys", post());
    const headers = { Authorization: `Bearer ${body.key}` };
    expect(codeOf(await browser.send("/portal/keys", { headers }))).toEqual([401, "SESSION_REQUIRED"]);
    expect(codeOf(await browser.send("/catalog", { headers: { Authorization: "Bearer wrong" } }))).toEqual([
      401,
      "UNAUTHORIZED",
    ]);
  });

  test("owns the same webhooks as the keys of its account, and no others", async () => {
    const hooked = await start({ SECRETS_KEY: "ab".repeat(32) });
    const browser = await signedIn(hooked);
    const body = { url: "https://93.184.216.34/hook" };
    const created = await browser.send("/webhooks", post(body));
    expect(created.status).toBe(201);
    const own = await browser.send("/portal/keys", post());
    const headers = { Authorization: `Bearer ${own.body.key}` };
    const listed = await callApi(hooked, "/webhooks", { headers });
    expect(listed.body.webhooks).toMatchObject([{ id: created.body.id }]);
    const other = await signedIn(hooked);
    expect((await other.send("/webhooks")).body.webhooks).toEqual([]);
    const refused = await other.send(`/webhooks/${created.body.id}`, { method: "DELETE" });
    expect(codeOf(refused)).toEqual([404, "NOT_FOUND"]);
    const foreign = { ...post(body), headers: { Origin: "https://evil.example" } };
    expect(codeOf(await browser.send("/webhooks", foreign))).toEqual([403, "ORIGIN_REFUSED"]);
  });

  test("shows what it and each active key have used of every limit", async () => {
    const now = Date.now();
    // No window slides, and no day ends, between the requests.
    const still = await start({}, () => now);
    const browser = await signedIn(still);
    const { body } = await browser.send("/portal/keys", post({ label: "reader" }));
    const headers = { Authorization: `Bearer ${body.key}` };
    for (const path of ["/catalog", "/remit/plan"]) await callApi(still, path, { headers });
    const usage = (await browser.send("/portal/usage")).body;
    const uses = (limits: unknown) =>
      Object.fromEntries((limits as { name: string; used: number }[]).map(({ name, used }) => [name, used])); // its schema
    // The creation of the key and this request.
    expect(uses(usage.session)).toMatchObject({ globalRpm: 2, expensiveRpm: 0, writeRpm: 0, dailyTotalRequests: 2 });
    expect(usage.keys).toMatchObject([{ id: body.id, label: "reader" }]);
    const [key] = usage.keys as { limits: unknown }[]; // its schema
    expect(uses(key?.limits)).toEqual({
      globalRpm: 2,
      expensiveRpm: 1,
      subgraphDaily: 0,
      writeRpm: 0,
      writeDaily: 0,
      dailyTotalRequests: 2,
    });
    expect(uses((await browser.send("/portal/usage")).body.session)).toMatchObject({ globalRpm: 3 });
  });

  test("ends when its browser signs out: the cookie is removed, and a copy of it is worth nothing", async () => {
    const browser = await signedIn();
    const copy = { Cookie: String(browser.cookie) };
    const out = await browser.send("/portal/session", { method: "DELETE" });
    expect(out.body).toEqual({ ended: 1 });
    expect(out.headers.get("set-cookie")).toBe(
      "__Host-dueday_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    );
    const again = await callApi(api, "/portal/keys", { headers: copy, from: someAddress() });
    expect(codeOf(again)).toEqual([401, "SESSION_REQUIRED"]);
    expect(again.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await callApi(api, "/catalog", { headers: copy })).headers.get("x-service-lane")).toBe("free");
  });

  test("that ends in one process ends in every other within a second", async () => {
    const other = await start();
    const wallet = someWallet();
    const [here, there] = [await signedIn(api, wallet), await signedIn(other, wallet)];
    const both = openPortalBrowser(other, ORIGIN, someAddress());
    both.cookie = here.cookie;
    const laneThere = async (browser: PortalBrowser) =>
      (await browser.send("/catalog", { headers: { Cookie: String(browser.cookie) } })).headers.get("x-service-lane");
    expect([await laneThere(there), await laneThere(both)]).toEqual(["developer", "developer"]);
    expect((await here.send("/portal/session?everywhere=true", { method: "DELETE" })).body).toEqual({ ended: 2 });
    for (const browser of [there, both])
      await waitUntil("the session ended there", async () => (await laneThere(browser)) === "free");
  });

  test("ends after twelve hours, however much it was used", async () => {
    const time = { now: Date.now() };
    const aging = await start({}, () => time.now);
    const browser = await signedIn(aging);
    const isIn = async () => (await browser.send("/portal/session")).body.session !== null;
    for (let hour = 0; hour < 11; hour += 1) {
      time.now += 3_600_000;
      expect(await isIn()).toBe(true);
    }
    time.now += 3_600_000;
    expect(await isIn()).toBe(false);
  });
});

describe("a session can't be fixed or forged", () => {
  test("signing in gives a new token, whatever cookie the browser had, and ends the session before", async () => {
    const browser = await signedIn();
    const before = String(browser.cookie);
    await browser.signIn(someWallet());
    expect(browser.cookie).not.toBe(before);
    expect((await callApi(api, "/portal/session", { headers: { Cookie: before } })).body).toEqual({ session: null });

    const planted = openPortalBrowser(api, ORIGIN, someAddress());
    planted.cookie = `__Host-dueday_session=${"A".repeat(43)}`;
    const { headers } = await planted.signIn(someWallet());
    expect(headers.get("set-cookie")).not.toContain("A".repeat(43));
  });

  test("an unknown token is the free lane, and invented ones cost no look-up after thirty of an address", async () => {
    const from = someAddress();
    const send = (index: number) => {
      const Cookie = `__Host-dueday_session=${String(index).padStart(43, "x")}`;
      return callApi(api, "/catalog", { headers: { Cookie }, from });
    };
    for (let index = 0; index < 30; index += 1) expect((await send(index)).headers.get("x-service-lane")).toBe("free");
    expect((await send(30)).body).toMatchObject({ bucket: "failedAuthentications" });
    expect((await send(0)).status).toBe(200);
    for (const Cookie of ["__Host-dueday_session=", "__Host-dueday_session=short", "a=b; =;;", ";".repeat(4_000)])
      expect((await callApi(api, "/catalog", { headers: { Cookie } })).headers.get("x-service-lane")).toBe("free");
  });
});

describe("a page of another origin", () => {
  const foreign = [
    ["another site", { Origin: "https://evil.example" }],
    ["another scheme", { Origin: "http://dueday.example" }],
    ["another port", { Origin: "https://dueday.example:8443" }],
    ["another host of the domain", { Origin: "https://app.dueday.example" }],
    ["a sandboxed frame", { Origin: "null" }],
    ["no origin", {}],
  ] as const;

  test.each(foreign)("can't change anything with the browser's session: %s", async (_, headers) => {
    const browser = await signedIn();
    const { body } = await browser.send("/portal/keys", post());
    const Cookie = String(browser.cookie);
    for (const [method, path] of [
      ["POST", "/portal/challenge"],
      ["POST", "/portal/session"],
      ["DELETE", "/portal/session"],
      ["POST", "/portal/keys"],
      ["DELETE", `/portal/keys/${body.id}`],
      ["POST", "/check_remit_readiness"],
    ] as const) {
      const call = { method, headers: { Cookie, ...headers }, ...(method === "POST" ? { body: {} } : {}) };
      expect(codeOf(await callApi(api, path, call))).toEqual([403, "ORIGIN_REFUSED"]);
    }
    expect((await browser.send("/portal/keys")).body).toMatchObject({ count: 1, keys: [{ revokedAt: null }] });
  });

  test("can't sign a browser in", async () => {
    const wallet = someWallet();
    const browser = openPortalBrowser(api, ORIGIN, someAddress());
    const message = await browser.challenge(wallet.address);
    const body = { message, signature: await wallet.signMessage({ message }) };
    const answer = await browser.send("/portal/session", {
      ...post(body),
      headers: { Origin: "https://evil.example" },
    });
    expect(codeOf(answer)).toEqual([403, "ORIGIN_REFUSED"]);
    expect(browser.cookie).toBeNull();
  });
});

describe("the portal is closed", () => {
  test.each([
    ["without ADMIN_SECRET", { ADMIN_SECRET: "" }, "ADMIN_SECRET"],
    ["when developer keys are off", { DEVELOPER_KEYS_ENABLED: "false" }, "DEVELOPER_KEYS_ENABLED"],
    ["under a public name without https", { PUBLIC_URL: "http://dueday.example" }, "https"],
    ["for a network, without PUBLIC_URL", { PUBLIC_URL: "", HOST: "0.0.0.0" }, "PUBLIC_URL"],
  ])("%s, and its answer names the setting", async (_, env, setting) => {
    const closed = await start(env);
    for (const [method, path] of [
      ["POST", "/portal/challenge"],
      ["GET", "/portal/session"],
      ["GET", "/portal/keys"],
      ["GET", "/portal/usage"],
    ] as const) {
      const answer = await callApi(closed, path, {
        method,
        headers: { Origin: ORIGIN, Cookie: `__Host-dueday_session=${"x".repeat(43)}` },
        ...(method === "POST" ? { body: {} } : {}),
      });
      expect(codeOf(answer)).toEqual([403, "PORTAL_DISABLED"]);
      expect(String(answer.body.error)).toContain(setting);
    }
  });

  test("under a name that a client chose, where PUBLIC_URL is not set", async () => {
    const local = await start({ PUBLIC_URL: "" });
    const headers = { Host: "evil.example", Origin: "http://evil.example" };
    const answer = await callApi(local, "/portal/challenge", { ...post({ address: someWallet().address }), headers });
    expect(codeOf(answer)).toEqual([403, "ORIGIN_REFUSED"]);
  });
});
