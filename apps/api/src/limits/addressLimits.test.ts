import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { Caller } from "../identity/clientIdentity";
import { createStreamSlots } from "../surfaces/events/streamSlots";

const ORIGIN = "https://dueday.example";
const ADMIN = { "X-Service-Admin-Key": "an admin secret for tests" };
const started: TestApi[] = [];
afterAll(() => Promise.all(started.map((api) => api.stop())));

async function start(env: Record<string, string>): Promise<TestApi> {
  const api = await startTestApi({
    database: await createTestDatabase(),
    rpcUrl: "http://127.0.0.1:1",
    contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
    env: { ...BEHIND_PROXY, ADMIN_SECRET: ADMIN["X-Service-Admin-Key"], PUBLIC_URL: ORIGIN, ...env },
  });
  started.push(api);
  return api;
}

/** Keys that a new wallet creates in the portal. */
async function walletKeys(api: TestApi, count: number): Promise<Record<string, string>[]> {
  const browser = openPortalBrowser(api, ORIGIN);
  await browser.signIn(someWallet());
  const keys = await Promise.all(
    Array.from({ length: count }, () => browser.send("/portal/keys", { method: "POST", body: {} })),
  );
  return keys.map(({ body }) => ({ Authorization: `Bearer ${body.key}` }));
}

async function adminKey(api: TestApi): Promise<Record<string, string>> {
  const body = { subjectId: crypto.randomUUID() };
  const made = await callApi(api, "/developer/keys", { method: "POST", headers: ADMIN, body, from: someAddress() });
  return { Authorization: `Bearer ${made.body.key}` };
}

describe("the requests of an address", () => {
  test("over all of its keys are limited, those of a key that the admin made and those of another address are not", async () => {
    const api = await start({ LIMIT_DEVELOPER_GLOBAL_RPM: "10", LIMIT_ADDRESS_SHARE: "3" });
    const keys = [...(await walletKeys(api, 5)), ...(await walletKeys(api, 5))];
    const from = someAddress();
    const outcomes = [];
    for (let round = 0; round < 5; round++)
      for (const headers of keys) outcomes.push(await callApi(api, "/catalog", { headers, from }));
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(30);
    const refused = outcomes.at(-1);
    expect([refused?.status, refused?.body.bucket, refused?.body.limit]).toEqual([429, "globalRpm", 30]);
    expect(refused?.body.upgradeHint).toContain("your address together");
    expect((await callApi(api, "/catalog", { headers: keys[0] ?? {}, from: someAddress() })).status).toBe(200);
    const own = await adminKey(api);
    for (let sent = 0; sent < 10; sent++)
      expect((await callApi(api, "/catalog", { headers: own, from })).status).toBe(200);
    // The lane of those who send no key is its own.
    expect((await callApi(api, "/catalog", { from })).status).toBe(200);
  });
});

test("an address creates 100 webhooks a day over all of its wallets; a key that the admin made is not counted", async () => {
  const api = await start({ SECRETS_KEY: "ab".repeat(32) });
  const keys = [...(await walletKeys(api, 1)), ...(await walletKeys(api, 1))];
  const from = someAddress();
  const create = (headers: Record<string, string>) =>
    callApi(api, "/webhooks", { method: "POST", headers, from, body: { url: "https://93.184.216.34/hook" } });
  const statuses: number[] = [];
  for (const headers of keys) for (let count = 0; count < 60; count++) statuses.push((await create(headers)).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(100);
  const refused = await create(keys[1] ?? {});
  expect([refused.status, refused.body.bucket]).toEqual([429, "webhookCreationsDaily"]);
  expect((await create(await adminKey(api))).status).toBe(201);
});

describe("event streams", () => {
  const caller = (key: string, client: string, hasOwnLimits = false): Caller => ({
    lane: "developer",
    client,
    identities: [`developer:${key}`],
    trusted: false,
    subject: key,
    hasOwnLimits,
  });

  test("of an address are limited over all of its keys, without a key that the admin made", () => {
    const slots = createStreamSlots({ mostOfAddress: 30, mostOfProcess: 1_000 });
    const release = Array.from({ length: 30 }, (_, index) => slots.take(caller(`key ${index % 3}`, "office")));
    expect(() => slots.take(caller("key 4", "office"))).toThrow("eventStreamsOfAddress allows 30 open streams");
    slots.take(caller("key 4", "elsewhere"));
    slots.take(caller("key 5", "office", true));
    release[0]?.();
    release[0]?.();
    slots.take(caller("key 4", "office"));
    expect(() => slots.take(caller("key 6", "office"))).toThrow("eventStreamsOfAddress");
  });

  test("of all clients together are limited, with a refusal that says so; a trusted client is served", () => {
    const slots = createStreamSlots({ mostOfAddress: 30, mostOfProcess: 40 });
    for (let index = 0; index < 40; index++) slots.take(caller(`key ${index}`, `client ${index}`));
    expect(() => slots.take(caller("one more", "client"))).toThrow(
      "eventStreamsOfService allows 40 open streams for all clients of this process",
    );
    slots.take({ ...caller("one more", "client"), trusted: true });
    expect(slots.open()).toBe(41);
  });
});
