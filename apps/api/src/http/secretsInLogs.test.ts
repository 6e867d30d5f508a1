import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

const ADMIN_SECRET = "the-admin-secret-of-this-test";
const SECRETS_KEY = "5ec4e7".repeat(11).slice(0, 64);
const NODE_KEY = "node-key-0123456789";
const ORIGIN = "https://dueday.example";
const database = await createTestDatabase();
const api = await startTestApi({
  database,
  rpcUrl: `http://user:${NODE_KEY}@127.0.0.1:1/v2/${NODE_KEY}?key=${NODE_KEY}`,
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  env: { ADMIN_SECRET, SECRETS_KEY, PUBLIC_URL: ORIGIN, LOG_LEVEL: "trace" },
});
afterAll(() => api.stop());

test("at the most talkative level the log has no secret, also of requests that fail", async () => {
  const browser = openPortalBrowser(api, ORIGIN);
  const wallet = someWallet();
  const message = await browser.challenge(wallet.address);
  const signature = await wallet.signMessage({ message });
  await browser.send("/portal/session", { method: "POST", body: { message, signature } });
  await browser.send("/portal/session", { method: "POST", body: { message, signature } });
  const { body: own } = await browser.send("/portal/keys", { method: "POST", body: {} });
  const admin = { "X-Service-Admin-Key": ADMIN_SECRET };
  const { body: made } = await callApi(api, "/developer/keys", {
    method: "POST",
    headers: admin,
    body: { subjectId: "shop" },
  });
  const headers = { Authorization: `Bearer ${made.key}` };
  const hook = { url: "https://93.184.216.34/hook?token=token-in-a-url" };
  const { body: webhook } = await callApi(api, "/webhooks", { method: "POST", headers, body: hook });
  const { body: rotated } = await callApi(api, `/webhooks/${webhook.id}/rotate`, { method: "POST", headers });
  await callApi(api, `/webhooks/${webhook.id}/challenge`, { method: "POST", headers });
  const wrong = "dueday_a-key-that-nobody-has";
  await callApi(api, "/catalog", { headers: { Authorization: `Bearer ${wrong}` } });
  await callApi(api, `/catalog?key=${wrong}`, { headers: { Cookie: `__Host-dueday_session=${wrong}` } });
  await callApi(api, "/developer/keys", { method: "POST", headers: admin, body: { secret: wrong } });
  // The node can't be reached: its URL is in the errors of the client.
  await callApi(api, "/protocol/state", { headers });
  await callApi(api, "/prepare/remit", { method: "POST", headers, body: { from: wallet.address } });
  // The database refuses a statement, whose values are in its error.
  await database.database.sql`alter table webhooks rename to webhooks_away`;
  await callApi(api, "/webhooks", { method: "POST", headers, body: hook });
  await database.database.sql`alter table webhooks_away rename to webhooks`;

  const log = api.logText();
  expect(log.split("\n").length).toBeGreaterThan(10);
  const [, cookie = ""] = browser.cookie?.split("=") ?? [];
  const secrets = {
    ADMIN_SECRET,
    SECRETS_KEY,
    NODE_KEY,
    cookie,
    signature,
    wrong,
    token: "token-in-a-url",
    own: String(own.key),
    made: String(made.key),
    webhook: String(webhook.secret),
    rotated: String(rotated.secret),
  };
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length > 8]).toEqual([name, true]);
    expect([name, log.includes(secret.replace(/^whsec_/, ""))]).toEqual([name, false]);
  }
});
