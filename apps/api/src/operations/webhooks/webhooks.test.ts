import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, type Call, callApi, someAddress } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { confirmTestWebhook } from "@dueday/db/test/confirmTestWebhook";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { findWebhook } from "@dueday/db/webhooks/storeWebhook";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const ADMIN = { "X-Service-Admin-Key": "an admin secret for tests" };
const SECRETS_KEY = "ab".repeat(32);
const DAY_MS = 86_400_000;
const addresses: Record<string, string[]> = { "shop.example": ["93.184.216.34", "2606:2800::1"] };
const clock = { now: 1_790_000_000_000 };
const { database, url } = await createTestDatabase();
const node = { rpcUrl: "http://127.0.0.1:1", contract: CONTRACT };
const env = { ...BEHIND_PROXY, ADMIN_SECRET: ADMIN["X-Service-Admin-Key"] };
const api = await startTestApi({
  ...node,
  database: { database, url },
  clock: () => clock.now,
  resolveWebhookHost: async (name) => addresses[name] ?? Promise.reject(new Error("unknown host")),
  env: { ...env, SECRETS_KEY },
});
await appendTestEvents(database, { chainId: TEST_CHAIN_ID, contract: CONTRACT }, { first: 1, count: 3 });
afterAll(() => api.stop());

/** A client with a key of a subject. */
async function client(subjectId: string = crypto.randomUUID()) {
  const body = { subjectId };
  const made = await callApi(api, "/developer/keys", { method: "POST", headers: ADMIN, body, from: someAddress() });
  const headers = { Authorization: `Bearer ${made.body.key}` };
  const call = (method: string, path: string, more: Call = {}) => callApi(api, path, { method, headers, ...more });
  const create = (given: object = {}) =>
    call("POST", "/webhooks", { body: { url: "https://shop.example/hook", ...given } });
  /** Creates a webhook whose URL has answered a challenge. */
  async function createConfirmed(given: object = {}) {
    const created = await create(given);
    await confirmTestWebhook(database, String(created.body.id), new Date(clock.now));
    return created;
  }
  return { call, create, createConfirmed };
}

test("a webhook is created with a secret that is shown once, listed, changed and deleted by its owner", async () => {
  const { call, create } = await client();
  const provider = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
  const created = await create({
    types: ["payment.paid"],
    filter: { provider: provider.toLowerCase() },
    description: "shop",
  });
  expect([created.status, created.headers.get("cache-control")]).toEqual([201, "no-store"]);
  const { secret, ...webhook } = created.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toMatchObject({ chainId: TEST_CHAIN_ID, types: ["payment.paid"], filter: { provider }, afterSeq: 3 });
  expect(webhook).toMatchObject({ enabled: false, disabledReason: "challenge", confirmedAt: null, failingSince: null });
  expect((await call("GET", "/webhooks")).body).toEqual({ webhooks: [webhook] });
  const path = `/webhooks/${webhook.id}`;
  expect((await call("GET", path)).body).toEqual(webhook);
  const confirmedAt = new Date(clock.now).toISOString();
  await confirmTestWebhook(database, String(webhook.id), new Date(clock.now));
  Object.assign(webhook, { enabled: true, disabledReason: null, disabledAt: null, confirmedAt });

  clock.now += 1_000;
  const paused = await call("PATCH", path, { body: { enabled: false } });
  const at = new Date(clock.now).toISOString();
  expect(paused.body).toEqual({ ...webhook, enabled: false, disabledReason: "owner", disabledAt: at, updatedAt: at });
  const changed = await call("PATCH", path, { body: { enabled: true, types: null, filter: {}, description: null } });
  expect(changed.body).toEqual({ ...webhook, types: null, filter: {}, description: null, updatedAt: at });
  expect((await call("PATCH", path, { body: {} })).body.issues).toMatchObject([{ code: "REQUIRED", path: "enabled" }]);

  expect((await call("DELETE", path)).body).toEqual({ id: webhook.id, deletedAt: at });
  for (const method of ["GET", "DELETE"]) expect((await call(method, path)).status).toBe(404);
  expect((await call("GET", "/webhooks")).body).toEqual({ webhooks: [] });
});

test("the database and the log hold no secret in the clear, and a sealed one opens in its own row alone", async () => {
  const { create } = await client("sealed");
  const { id, secret } = (await create()).body;
  const stored = await findWebhook(database, { id: String(id), subjectId: "sealed" });
  const rows = JSON.stringify(await database.sql`select * from webhooks`);
  for (const text of [rows, api.logText()]) expect(text).not.toContain(String(secret).slice("whsec_".length));
  if (stored === null) throw new Error("it was stored");
  const box = createSecretBox(SECRETS_KEY);
  expect(box.open(stored.secret, String(id))).toBe(String(secret));
  expect(box.open(stored.secret, crypto.randomUUID())).toBeNull();
  expect(createSecretBox("cd".repeat(32)).open(stored.secret, String(id))).toBeNull();
  expect(box.open("0x01", String(id))).toBeNull();
});

test("a rotation returns a new secret once; both are stored for 24 hours", async () => {
  const { call, create } = await client("rotating");
  const { id, secret } = (await create()).body;
  const rotated = await call("POST", `/webhooks/${id}/rotate`);
  expect(rotated.body).toEqual({
    id,
    secret: expect.any(String),
    previousSecretUntil: new Date(clock.now + DAY_MS).toISOString(),
  });
  const stored = await findWebhook(database, { id: String(id), subjectId: "rotating" });
  const box = createSecretBox(SECRETS_KEY);
  expect(box.open(stored?.secret ?? "0x", String(id))).toBe(String(rotated.body.secret));
  expect(box.open(stored?.previousSecret ?? "0x", String(id))).toBe(String(secret));
});

test("a subject has at most 100 webhooks, also where it creates them at once", async () => {
  const { call, create } = await client();
  const statuses = (await Promise.all(Array.from({ length: 105 }, () => create()))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(100);
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([409, "MAX_WEBHOOKS"]);
  const [first] = Object((await call("GET", "/webhooks")).body.webhooks);
  await call("DELETE", `/webhooks/${first.id}`);
  expect((await create()).status).toBe(201);
});

describe("only its owner", () => {
  test("reads, changes or uses a webhook: to another subject it does not exist", async () => {
    const owner = await client();
    const other = await client();
    const { id } = (await owner.createConfirmed()).body;
    const { id: deliveryId } = (await owner.call("POST", `/webhooks/${id}/test`)).body;
    for (const [method, path, body] of [
      ["GET", ""],
      ["PATCH", "", { enabled: false }],
      ["DELETE", ""],
      ["POST", "/challenge"],
      ["POST", "/test"],
      ["POST", "/rotate"],
      ["GET", "/deliveries"],
      ["POST", `/deliveries/${deliveryId}/redeliver`],
      ["POST", "/replay", { after: 0 }],
    ] as const) {
      const refused = await other.call(method, `/webhooks/${id}${path}`, body === undefined ? {} : { body });
      expect([method, path, refused.status, refused.body.code]).toEqual([method, path, 404, "NOT_FOUND"]);
    }
    expect((await other.call("GET", "/webhooks")).body).toEqual({ webhooks: [] });
    expect((await owner.call("GET", `/webhooks/${id}`)).body).toMatchObject({ enabled: true });
  });

  test("another key of the same subject is its owner too", async () => {
    const [first, second] = [await client("two keys"), await client("two keys")];
    const { id } = (await first.create()).body;
    expect((await second.call("GET", `/webhooks/${id}`)).status).toBe(200);
  });

  test("on the free lane every operation is 403 LANE_REQUIRED, with what to do", async () => {
    for (const [method, path] of [
      ["GET", "/webhooks"],
      ["POST", "/webhooks"],
      ["DELETE", `/webhooks/${crypto.randomUUID()}`],
    ] as const) {
      const body = method === "POST" ? { body: { url: "https://shop.example/hook" } } : {};
      const refused = await callApi(api, path, { method, from: someAddress(), ...body });
      expect([refused.status, refused.body.code]).toEqual([403, "LANE_REQUIRED"]);
      expect(refused.body.error).toContain("developer key");
    }
  });
});

describe("until its URL has answered a challenge", () => {
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof callApi>>) => [status, body.code];
  const REQUIRED = [409, "CHALLENGE_REQUIRED"];

  test("a webhook can't be enabled, tested or replayed, and after a change of its URL neither", async () => {
    const { call, create } = await client();
    const path = `/webhooks/${(await create()).body.id}`;
    const refused = async () => {
      expect(codeOf(await call("PATCH", path, { body: { enabled: true } }))).toEqual(REQUIRED);
      expect(codeOf(await call("POST", `${path}/test`))).toEqual(REQUIRED);
      expect(codeOf(await call("POST", `${path}/replay`, { body: { after: 0 } }))).toEqual(REQUIRED);
      expect(codeOf(await call("POST", `${path}/deliveries/1/redeliver`))).toEqual(REQUIRED);
    };
    await refused();
    await confirmTestWebhook(database, path.slice("/webhooks/".length), new Date(clock.now));
    expect((await call("POST", `${path}/test`)).status).toBe(202);
    expect((await call("PATCH", path, { body: { url: "https://shop.example/hook", enabled: true } })).status).toBe(200);
    const moved = await call("PATCH", path, { body: { url: "https://shop.example/other" } });
    expect(moved.body).toMatchObject({ enabled: false, disabledReason: "challenge", confirmedAt: null });
    await refused();
    const both = await call("PATCH", path, { body: { url: "https://shop.example/third", enabled: true } });
    expect(codeOf(both)).toEqual(REQUIRED);
    expect((await call("GET", path)).body.url).toBe("https://shop.example/other");
  });

  test("a challenge is a separate delivery, at most three in 24 hours, also at once, as RateLimit states, and is never sent again", async () => {
    const { call, create } = await client();
    const path = `/webhooks/${(await create()).body.id}`;
    const all = await Promise.all(Array.from({ length: 5 }, () => call("POST", `${path}/challenge`)));
    const sent = all.filter(({ status }) => status === 202);
    expect(sent).toHaveLength(3);
    expect(sent[0]?.body).toMatchObject({ type: "webhook.challenge", seq: null, state: "pending", attempts: 0 });
    expect(JSON.stringify(sent)).not.toContain('"challenge"');
    const refused = await call("POST", `${path}/challenge`);
    expect([refused.status, refused.body.bucket, refused.body.limit]).toEqual([429, "webhookChallenges", 3]);
    expect(refused.body.error).toContain("webhookChallenges allows 3 in any 24 hours: try again in 86400 s");
    const again = await call("POST", `${path}/challenge`);
    expect(again.headers.get("ratelimit")).toBe(refused.headers.get("ratelimit"));
    const leftOf = ({ headers }: (typeof all)[number]) =>
      /"webhookChallenges";(r=\d;t=\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
    expect(sent.map(leftOf).toSorted()).toEqual(["r=0;t=86400", "r=1;t=86400", "r=2;t=86400"]);
    expect(leftOf(refused)).toBe("r=0;t=86400");
    expect(refused.headers.get("ratelimit-policy")).toContain('"webhookChallenges";q=3;w=86400');
    expect(refused.headers.get("retry-after")).toBe(String(DAY_MS / 1_000));
    await confirmTestWebhook(database, path.slice("/webhooks/".length), new Date(clock.now));
    expect((await call("POST", `${path}/deliveries/${sent[0]?.body.id}/redeliver`)).status).toBe(404);
    clock.now += DAY_MS;
    expect((await call("POST", `${path}/challenge`)).status).toBe(202);
  });
});

describe("deliveries", () => {
  test("a test is a pending delivery, listed newest first in pages, by state, and may be sent again", async () => {
    const { call, createConfirmed } = await client();
    const { id } = (await createConfirmed()).body;
    const sent = [];
    for (let count = 0; count < 3; count++) sent.push((await call("POST", `/webhooks/${id}/test`)).body);
    expect(sent[0]).toMatchObject({ seq: null, type: "webhook.test", state: "pending", attempts: 0, response: null });
    const path = `/webhooks/${id}/deliveries`;
    const first = (await call("GET", `${path}?first=2`)).body;
    expect(first).toEqual({ deliveries: [sent[2], sent[1]], hasMore: true, nextAfter: String(sent[1]?.id) });
    expect((await call("GET", `${path}?first=2&after=${first.nextAfter}`)).body).toEqual({
      deliveries: [sent[0]],
      hasMore: false,
    });
    await database.sql`update webhook_deliveries set state = 'failed', next_attempt_at = null, attempts = 10,
      failure = 'STATUS', response_status = 500, response_body = 'no' where id = ${String(sent[0]?.id)}`;
    const failed = (await call("GET", `${path}?state=failed`)).body;
    expect(failed).toMatchObject({
      deliveries: [{ attempts: 10, failure: { code: "STATUS" }, response: { status: 500, body: "no" } }],
    });
    const again = await call("POST", `${path}/${sent[0]?.id}/redeliver`);
    const nextAttemptAt = new Date(clock.now).toISOString();
    expect([again.status, again.body.state, again.body.attempts]).toEqual([202, "pending", 0]);
    expect(again.body.nextAttemptAt).toBe(nextAttemptAt);
    expect((await call("POST", `${path}/999999999/redeliver`)).status).toBe(404);
  });

  /** Deliveries of the events 1 to 3 that are waiting, and the states that they are in. */
  async function waiting({ call, createConfirmed }: Awaited<ReturnType<typeof client>>) {
    const id = String((await createConfirmed()).body.id);
    for (const seq of [1, 2, 3])
      await database.sql`insert into webhook_deliveries (webhook_id, seq, event_id, type, state, requested, attempts, next_attempt_at, created_at)
        values (${id}, ${seq}, ${`evt_${seq}`}, 'payment.paid', 'pending', false, 0, now(), now())`;
    async function states() {
      const { deliveries } = (await call("GET", `/webhooks/${id}/deliveries`)).body;
      return Object(deliveries).map(({ seq, state }: { seq: number; state: string }) => [seq, state]);
    }
    return { id, states };
  }

  test("a replay with the last seq skips everything that is waiting, but not a test", async () => {
    const owner = await client();
    const { id, states } = await waiting(owner);
    await owner.call("POST", `/webhooks/${id}/test`);
    expect((await owner.call("POST", `/webhooks/${id}/replay`, { body: { after: 3 } })).status).toBe(202);
    expect(await states()).toEqual([
      [null, "pending"],
      [3, "replaced"],
      [2, "replaced"],
      [1, "replaced"],
    ]);
  });

  test("a replay moves to any seq that is kept, and replaces what is pending after it", async () => {
    const owner = await client();
    const { call } = owner;
    const { id, states } = await waiting(owner);
    const { status, body } = await call("POST", `/webhooks/${id}/replay`, { body: { after: 1 } });
    expect([status, body]).toEqual([202, { id, afterSeq: 1, lastSeq: 3 }]);
    expect(await states()).toEqual([
      [3, "replaced"],
      [2, "replaced"],
      [1, "pending"],
    ]);
    const gone = await call("POST", `/webhooks/${id}/replay`, { body: { after: 4 } });
    expect([gone.status, gone.body.code, gone.body.lastSeq]).toEqual([410, "EVENTS_GONE", 3]);
  });
});

test.each([
  ["with http", "http://shop.example/hook", "an absolute https URL", "URL_REFUSED"],
  ["of another protocol", "ftp://shop.example/", "an absolute https URL", "URL_REFUSED"],
  ["with a password", "https://user:word@shop.example/", "without user name", "URL_REFUSED"],
  ["with a fragment", "https://shop.example/#part", "without a fragment", "URL_REFUSED"],
  ["with a port of a system service", "https://shop.example:22/", "port 443", "URL_REFUSED"],
  ["of this machine", "https://127.0.0.1/", "public internet", "URL_REFUSED"],
  ["of an unknown host", "https://unknown.example/", "that resolves", "URL_REFUSED"],
  ["that is none", "not a url", "an absolute https URL", "VALIDATION_ERROR"],
  ["that is too long", `https://shop.example/${"x".repeat(2_048)}`, "2048 characters", "VALIDATION_ERROR"],
])("a URL %s is refused at creation and in a change, with what is allowed", async (_name, given, expected, code) => {
  const { call, create } = await client();
  const { id } = (await create()).body;
  for (const refused of [
    await create({ url: given }),
    await call("PATCH", `/webhooks/${id}`, { body: { url: given } }),
  ]) {
    expect([refused.status, refused.body.code]).toEqual([400, code]);
    expect(refused.body.issues).toMatchObject([{ path: "url", message: expect.stringContaining(expected) }]);
  }
});

test("a host name that resolves to an address of the operator's network is refused, whatever else it resolves to", async () => {
  const { create } = await client();
  addresses["inside.example"] = ["93.184.216.34", "10.0.0.5"];
  const refused = await create({ url: "https://inside.example/" });
  expect(refused.body.issues).toMatchObject([{ path: "url", message: expect.stringContaining("public internet") }]);
});

test("without SECRETS_KEY webhooks are 403 with the remedy, and everything else works", async () => {
  const { call } = await client();
  const without = await startTestApi({ ...node, database: { database, url }, env });
  const refused = await callApi(without, "/webhooks", { headers: { Authorization: "Bearer x" } });
  expect(refused.status).toBe(401);
  const closed = await callApi(without, "/webhooks");
  expect([closed.status, closed.body.code]).toEqual([403, "WEBHOOKS_DISABLED"]);
  expect(closed.body.error).toContain("SECRETS_KEY");
  expect((await callApi(without, "/events")).status).toBe(200);
  expect((await call("GET", "/webhooks")).status).toBe(200);
  await without.stop();
});
