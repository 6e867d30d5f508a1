import { afterAll, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { openPortalBrowser, type PortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { Hex } from "viem";

const ORIGIN = "https://dueday.example";
const SECRETS_KEY = "5e".repeat(32);
const MAIL = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "reminders@dueday.example", SECRETS_KEY };
const DAY_MS = 86_400_000;
const { database, url } = await createTestDatabase();
const secrets = createMailSecrets(SECRETS_KEY);
const clock = { now: Date.now() };
const started: TestApi[] = [];

async function start(env: Record<string, string>): Promise<TestApi> {
  const api = await startTestApi({
    database: { database, url },
    rpcUrl: "http://127.0.0.1:1",
    contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
    clock: () => clock.now,
    env: { ...BEHIND_PROXY, ADMIN_SECRET: "an admin secret for tests", PUBLIC_URL: ORIGIN, ...env },
  });
  started.push(api);
  return api;
}

const api = await start(MAIL);
afterAll(async () => {
  for (const each of started) await each.stop();
});

async function signedIn(wallet = someWallet(), process = api, from = someAddress()): Promise<PortalBrowser> {
  const browser = openPortalBrowser(process, ORIGIN, from);
  expect((await browser.signIn(wallet)).status).toBe(201);
  return browser;
}

const put = (mailbox: string, kinds?: string[]) => ({ method: "PUT", body: { mailbox, ...(kinds && { kinds }) } });
const post = (body: unknown) => ({ method: "POST", body });
const someMailbox = () => `${crypto.randomUUID()}@example.org`;
const bytes = (hex: Hex) => Buffer.from(hex.slice(2), "hex");

/** The confirmations that wait to be mailed to a mailbox, newest first, as the token in their link. */
async function confirmationsOf(mailbox: string): Promise<string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select facts->>'confirmationId' as id from mails where facts->>'kind' = 'confirmation'
      and mailbox_hash = ${bytes(secrets.hashOf(mailbox))} order by created_at desc`;
  return rows.map(({ id }) => secrets.confirmToken(id));
}

async function confirm(mailbox: string): Promise<void> {
  const [token = ""] = await confirmationsOf(mailbox);
  expect((await callApi(api, "/reminders/confirm", post({ token }))).body).toEqual({ confirmed: true });
}

test("a mailbox is stored, confirmed by its link once within a day, changed, and deleted with its mails", async () => {
  const browser = await signedIn();
  const mailbox = someMailbox();
  expect((await browser.send("/portal/reminders")).body).toEqual({ mailbox: null, kinds: [], confirmed: false });
  const stored = await browser.send("/portal/reminders", put(mailbox));
  expect(stored.body).toEqual({
    mailbox,
    kinds: ["will_fail", "coming_yearly", "failed", "at_risk", "weekly_summary"],
    confirmed: false,
  });
  const [token = ""] = await confirmationsOf(mailbox);
  const anywhere = { ...post({ token }), from: someAddress() };
  expect((await callApi(api, "/reminders/confirm", anywhere)).body).toEqual({ confirmed: true });
  expect((await callApi(api, "/reminders/confirm", anywhere)).status).toBe(404);
  expect((await browser.send("/portal/reminders")).body).toMatchObject({ mailbox, confirmed: true });

  const changed = await browser.send("/portal/reminders", put(mailbox, ["receipt"]));
  expect(changed.body).toEqual({ mailbox, kinds: ["receipt"], confirmed: true });
  expect(await confirmationsOf(mailbox)).toHaveLength(1);
  const other = someMailbox();
  expect((await browser.send("/portal/reminders", put(other))).body).toMatchObject({
    mailbox: other,
    confirmed: false,
  });

  const deleted = await browser.send("/portal/reminders", { method: "DELETE" });
  expect(deleted.body).toEqual({ mailbox: null, kinds: [], confirmed: false });
  const [late = ""] = await confirmationsOf(other);
  expect(late).toBe("");
});

test("the link of a confirmation does not confirm a mailbox that the account has replaced, and expires after a day", async () => {
  const [first, second] = [someMailbox(), someMailbox()];
  const browser = await signedIn();
  await browser.send("/portal/reminders", put(first));
  const [token = ""] = await confirmationsOf(first);
  await browser.send("/portal/reminders", put(second));
  const refused = { ...post({ token }), from: someAddress() };
  expect((await callApi(api, "/reminders/confirm", refused)).status).toBe(404);
  const [late = ""] = await confirmationsOf(second);
  clock.now += DAY_MS;
  expect((await callApi(api, "/reminders/confirm", post({ token: late }))).status).toBe(404);
});

test("a mailbox gets one confirmation a day, from all accounts and in every spelling, and no answer shows it", async () => {
  const name = crypto.randomUUID();
  const spellings = [`${name}@example.org`, `${name}+shop@example.org`, `${name.toUpperCase()}@Example.org`];
  const answers = [];
  const made = [];
  for (const mailbox of spellings) {
    const browser = await signedIn();
    const { status, body } = await browser.send("/portal/reminders", put(mailbox, []));
    answers.push({ status, body: { ...body, mailbox: null } });
    made.push(...(await confirmationsOf(mailbox)));
  }
  const fresh = await (await signedIn()).send("/portal/reminders", put(someMailbox(), []));
  const unknown = { status: fresh.status, body: { ...fresh.body, mailbox: null } };
  expect(answers).toEqual([unknown, unknown, unknown]);
  expect(made).toHaveLength(1);
  clock.now += DAY_MS;
  const [mailbox = ""] = spellings;
  await (await signedIn()).send("/portal/reminders", put(mailbox, []));
  expect(await confirmationsOf(mailbox)).toHaveLength(2);
});

test("many requests for a mailbox at the same time make one confirmation", async () => {
  const mailbox = someMailbox();
  const browsers = await Promise.all(Array.from({ length: 8 }, () => signedIn()));
  await Promise.all(browsers.map((browser) => browser.send("/portal/reminders", put(mailbox))));
  expect(await confirmationsOf(mailbox)).toHaveLength(1);
});

test("an account, and an address of a client, ask for three confirmations a day, of mailboxes that are known or not", async () => {
  const wallet = someWallet();
  const known = someMailbox();
  await (await signedIn()).send("/portal/reminders", put(known));
  const statuses = [];
  for (const mailbox of [someMailbox(), known, someMailbox(), someMailbox()]) {
    const browser = await signedIn(wallet);
    statuses.push((await browser.send("/portal/reminders", put(mailbox))).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429]);

  const from = someAddress();
  const ofAddress = [];
  for (let sent = 0; sent < 4; sent++) {
    const browser = await signedIn(someWallet(), api, from);
    const { status, body } = await browser.send("/portal/reminders", put(someMailbox()));
    ofAddress.push(status === 429 ? body.bucket : status);
  }
  expect(ofAddress).toEqual([200, 200, 200, "mailConfirmationsPerAddress"]);
});

test.each([
  "person@example.org\r\nBcc: other@example.org",
  "person@example.org, other@example.org",
  "Person <person@example.org>",
  "person@example.org>",
  "person@localhost",
  "person",
  '"a b"@example.org',
  "a@b@example.org",
  "person@exa\u0000mple.org",
  `${"a".repeat(65)}@example.org`,
])("a mailbox that is not one plain address is refused: %j", async (mailbox) => {
  const browser = await signedIn();
  expect((await browser.send("/portal/reminders", put(mailbox))).status).toBe(400);
});

test("a link in a mail shows a page that changes nothing, for programs that follow links; its button, and one click of a mailbox, do", async () => {
  const browser = await signedIn();
  const mailbox = someMailbox();
  await browser.send("/portal/reminders", put(mailbox));
  const [token = ""] = await confirmationsOf(mailbox);
  const link = `${api.url}/mail/confirm?token=${token}`;
  for (const method of ["GET", "HEAD", "GET"]) {
    const page = await fetch(link, { method });
    expect([page.status, page.headers.get("referrer-policy"), page.headers.get("cache-control")]).toEqual([
      200,
      "same-origin",
      "no-store",
    ]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
  expect((await browser.send("/portal/reminders")).body.confirmed).toBe(false);
  // As the form of the page sends it, without Origin and session.
  const pressed = await fetch(link, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "",
  });
  expect([pressed.status, await pressed.text()]).toEqual([200, expect.stringContaining("is confirmed")]);
  expect((await browser.send("/portal/reminders")).body.confirmed).toBe(true);
  const again = await fetch(link, { method: "POST" });
  expect([again.status, again.headers.get("content-type"), await again.text()]).toEqual([
    404,
    "text/html; charset=utf-8",
    expect.stringContaining("was used"),
  ]);
  const requestId = again.headers.get("x-request-id");
  expect(api.requestLog().find((line) => line.requestId === requestId)).toMatchObject({ code: "NOT_FOUND" });

  const [row] = await database.sql<
    { account: Uint8Array }[]
  >`select account from mailboxes where mailbox_hash = ${bytes(secrets.hashOf(mailbox))}`;
  const account: Hex = `0x${Buffer.from(row?.account ?? []).toString("hex")}`;
  const unsubscribe = `${api.url}/mail/unsubscribe?token=${secrets.unsubscribeToken(account, secrets.hashOf(mailbox))}`;
  expect((await fetch(unsubscribe)).status).toBe(200);
  expect((await browser.send("/portal/reminders")).body.mailbox).toBe(mailbox);
  const oneClick = {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  };
  for (const _ of [1, 2]) expect((await fetch(unsubscribe, oneClick)).status).toBe(200);
  expect((await browser.send("/portal/reminders")).body.mailbox).toBeNull();
});

test("a link to unsubscribe ends the reminders to its own mailbox alone, and a changed one ends none", async () => {
  const browser = await signedIn();
  const mailbox = someMailbox();
  await browser.send("/portal/reminders", put(mailbox));
  await confirm(mailbox);
  const [row] = await database.sql<
    { account: Uint8Array }[]
  >`select account from mailboxes where mailbox_hash = ${bytes(secrets.hashOf(mailbox))}`;
  const account: Hex = `0x${Buffer.from(row?.account ?? []).toString("hex")}`;
  const before = secrets.unsubscribeToken(account, secrets.hashOf("before@example.org"));
  expect((await callApi(api, "/reminders/unsubscribe", post({ token: before }))).body).toEqual({ unsubscribed: true });
  const own = secrets.unsubscribeToken(account, secrets.hashOf(mailbox));
  const forged = createMailSecrets("00".repeat(32)).unsubscribeToken(account, secrets.hashOf(mailbox));
  const from = someAddress();
  for (const token of [forged, `${own.slice(0, -2)}AA`, own.slice(0, 30)])
    expect((await callApi(api, "/reminders/unsubscribe", { ...post({ token }), from })).status).toBe(404);
  expect((await browser.send("/portal/reminders")).body.mailbox).toBe(mailbox);
  expect((await callApi(api, "/reminders/unsubscribe", post({ token: own }))).status).toBe(200);
  expect((await browser.send("/portal/reminders")).body.mailbox).toBeNull();
});

test("an address gets five refused links a minute, over both kinds; a right one is taken nevertheless", async () => {
  const browser = await signedIn();
  const mailbox = someMailbox();
  await browser.send("/portal/reminders", put(mailbox));
  const [right = ""] = await confirmationsOf(mailbox);
  const from = someAddress();
  const send = (what: string, token: string) => callApi(api, `/reminders/${what}`, { ...post({ token }), from });
  for (const what of ["confirm", "unsubscribe", "confirm", "unsubscribe", "confirm"])
    expect((await send(what, "x".repeat(40))).status).toBe(404);
  for (const what of ["confirm", "unsubscribe"])
    expect((await send(what, "x".repeat(40))).body).toMatchObject({ code: "RATE_LIMITED", bucket: "failedMailTokens" });
  expect((await send("confirm", right)).body).toEqual({ confirmed: true });
});

test("nothing in the database or the log has a mailbox or a token, or lets one be tried without the key", async () => {
  const mailbox = someMailbox();
  await (await signedIn()).send("/portal/reminders", put(mailbox));
  const [token = ""] = await confirmationsOf(mailbox);
  await fetch(`${api.url}/mail/confirm?token=${token}`);
  const dump = [];
  for (const { name } of await database.sql<
    { name: string }[]
  >`select table_name as name from information_schema.tables where table_schema = 'public'`)
    for (const row of await database.sql`select t::text as row from ${database.sql(name)} t`)
      dump.push(String(row.row));
  const text = dump.join("\n");
  expect(text).toContain(secrets.hashOf(mailbox).slice(2));
  const guesses = ["sha256", "sha1", "md5", "sha512"].flatMap((hash) => [
    new Bun.CryptoHasher(hash as "sha256").update(mailbox).digest("hex"), // one of Bun's names
  ]);
  for (const secret of [mailbox, Buffer.from(mailbox).toString("hex"), token, ...guesses])
    expect(text).not.toContain(secret);
  for (const secret of [mailbox, token]) expect(api.logText()).not.toContain(secret);
});

test("without a mail server all of it is 403 with the settings that are missing, and the session is asked for first", async () => {
  const off = await start({});
  const browser = await signedIn(someWallet(), off);
  const { status, body } = await browser.send("/portal/reminders");
  expect([status, body.code]).toEqual([403, "REMINDERS_DISABLED"]);
  expect(body.error).toContain("SMTP_URL");
  const stranger = await callApi(api, "/portal/reminders", {});
  expect([stranger.status, stranger.body.code]).toEqual([401, "SESSION_REQUIRED"]);
  const foreign = await browser.send("/portal/reminders", {
    ...put(someMailbox()),
    headers: { Origin: "https://evil.example" },
  });
  expect(foreign.body.code).toBe("ORIGIN_REFUSED");
});
