import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, BEHIND_PROXY, type Call, callApi } from "@dueday/api/test/callApi";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { redisKeys } from "@dueday/api/test/redisKeys";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testRedis } from "@dueday/test-support/services";
import { hasBody } from "./operation/defineOperation";
import { operations } from "./operations/operations";

const ADMIN_SECRET = "admin-secret-that-must-not-show";
const RPC_URL = "http://rpc-user:rpc-password@127.0.0.1:1/rpc-key-that-must-not-show";
const ADDRESSES = ["203.0.113.77", "2001:db8:77:77::77"];

const redisAddress = await testRedis();
const database = await createTestDatabase();
const api = await startTestApi({
  database,
  rpcUrl: RPC_URL,
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET,
    SECRETS_KEY: "5ec4e7".repeat(10).padEnd(64, "0"),
    LOG_LEVEL: "trace",
    ...(redisAddress === null ? {} : { REDIS_URL: redisAddress.replace(/^\//, "unix:///") }),
  },
});
afterAll(() => api.stop());

const answers: Answer[] = [];
async function call(path: string, given: Call = {}): Promise<Answer> {
  const [first, second] = ADDRESSES;
  const from = answers.length % 2 === 0 ? first : second;
  const answer = await callApi(api, path, { ...given, ...(from === undefined ? {} : { from }) });
  answers.push(answer);
  return answer;
}

/** Every operation with its example, by each surface; whatever needs the node fails. */
async function callEverything(headers: Record<string, string>): Promise<void> {
  for (const { http, example } of operations) {
    const values: Record<string, unknown> = { ...example };
    const path = http.path.replace(/:(\w+)/g, (_, name) => {
      const value = String(values[name] ?? "x");
      delete values[name];
      return value;
    });
    if (hasBody(http.method)) {
      await call(path, { method: http.method, headers, body: values });
      continue;
    }
    const query = new URLSearchParams(
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
    );
    await call(`${path}?${query}`, { method: http.method, headers });
  }
}

const admin = { Authorization: `Bearer ${ADMIN_SECRET}` };
const create = { method: "POST", headers: admin, body: { subjectId: "someone" } };
const created = await callApi(api, "/developer/keys", create);
const other = await callApi(api, "/developer/keys", create);
const keyText = String(created.body.key);
const bearer = { Authorization: `Bearer ${keyText}` };

const portal = openPortalBrowser(api, api.url);
const wallet = someWallet();
const message = await portal.challenge(wallet.address);
const signature = await wallet.signMessage({ message });
const session = await callApi(api, "/portal/session", {
  method: "POST",
  headers: { Origin: api.url },
  body: { message, signature },
});
const signedIn = { Origin: api.url, Cookie: String(session.headers.get("set-cookie")).split(";")[0] ?? "" };
const ownKey = await callApi(api, "/portal/keys", { method: "POST", headers: signedIn, body: {} });
const token = signedIn.Cookie.split("=")[1] ?? "";

// At the same time, since much of it waits for the node.
await Promise.all([{}, bearer, signedIn].map(callEverything));
await call("/portal/session", { headers: { Cookie: `${signedIn.Cookie.slice(0, -1)}~` } });
await call("/developer/keys?subjectId=someone", { headers: admin });
await call(`/developer/keys/${other.body.id}`, { method: "DELETE", headers: admin });
await call("/catalog", { headers: { Authorization: `Bearer ${other.body.key}` } });
await call("/catalog", { headers: { Authorization: `Bearer ${keyText}x` } });
await call("/developer/keys", { headers: { "X-Service-Admin-Key": `${ADMIN_SECRET}x` } });
await call("/nothing", { headers: admin });

const secrets = {
  "the text of a key": keyText,
  "the random part of a key": keyText.slice(12),
  "the text of a revoked key": String(other.body.key),
  "the text of a key of the portal": String(ownKey.body.key),
  "the token of a portal session": token,
  "the nonce of a sign-in": /Nonce: (\w+)/.exec(message)?.[1] ?? "",
  "the signature of a sign-in": signature,
  "the admin secret": ADMIN_SECRET,
  "the URL of a node": RPC_URL,
  "a part of that URL": "rpc-key-that-must-not-show",
  "the password of a node": "rpc-password",
  "an IPv4 address of a client": "203.0.113.77",
  "an IPv6 address of a client": "2001:db8:77:77",
};

function expectNone(text: string): void {
  for (const [what, secret] of Object.entries(secrets)) {
    if (text.includes(secret)) throw new Error(`${what} shows: …${around(text, text.indexOf(secret))}…`);
  }
}

function around(text: string, at: number): string {
  return text.slice(Math.max(0, at - 80), at + 20);
}

describe("no key, secret, node or client's address", () => {
  test("is in any answer but the one that shows a new key", () => {
    expect(answers.length).toBeGreaterThan(2 * operations.length);
    expect(created.text).toContain(keyText);
    expect([session.status, token.length]).toEqual([201, 43]);
    for (const { headers, text } of answers) expectNone(`${JSON.stringify([...headers])} ${text}`);
  });

  test("is in the log, at its most talkative", () => {
    expect(api.requestLog().length).toBeGreaterThanOrEqual(answers.length);
    expectNone(api.logText());
  });

  test("is in the database", async () => {
    const tables = await database.database.sql<{ name: string }[]>`
      select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema')`;
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await database.database.sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t`);
      rows.push(...found.map(({ row }) => row));
    }
    expect(rows.join("\n")).toContain(String(created.body.id));
    expectNone(rows.join("\n"));
  });

  test.if(redisAddress !== null)("is on Redis", async () => {
    const keys = await redisKeys(redisAddress ?? "", "dueday:*");
    expect(keys.size).toBeGreaterThan(0);
    expectNone([...keys.keys()].join("\n"));
  });
});
