import { afterAll, afterEach, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { type EventReader, openEvents } from "@dueday/api/test/openEvents";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { startPortalSession } from "@dueday/db/access/startPortalSession";
import { storePortalChallenge } from "@dueday/db/access/storePortalChallenge";
import type { Database } from "@dueday/db/connectDatabase";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { createAccessWatch } from "./createAccessWatch";

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const ORIGIN = "https://dueday.example";
const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const settings = {
  database: testDatabase,
  rpcUrl: "http://127.0.0.1:1",
  contract: CONTRACT,
  beatMs: 50,
  env: { ...BEHIND_PROXY, PUBLIC_URL: ORIGIN, ADMIN_SECRET: "an admin secret for tests" },
};
const [api, other] = await Promise.all([startTestApi(settings), startTestApi(settings)]);
const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});
afterAll(() => Promise.all([api.stop(), other.stop()]));

async function open(headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await openEvents(api, "", { "X-Forwarded-For": someAddress(), ...headers });
  opened.push(reader);
  expect(reader.status).toBe(200);
  return reader;
}

test("a stream ends with the reason when its key is revoked or its session ended in any process, and no other stream does", async () => {
  // Both are ended in another process than the one that has the streams.
  const browser = openPortalBrowser(other, ORIGIN, someAddress());
  expect((await browser.signIn(someWallet())).status).toBe(201);
  const create = () => browser.send("/portal/keys", { method: "POST", body: {} });
  const [revoked, kept] = [(await create()).body, (await create()).body];
  const withKey = ({ key }: Record<string, unknown>) => open({ Authorization: `Bearer ${key}` });
  const [ending, second, staying] = [await withKey(revoked), await withKey(revoked), await withKey(kept)];
  const [signedIn, free] = [await open({ Cookie: browser.cookie ?? "" }), await open()];

  expect((await browser.send(`/portal/keys/${revoked.id}`, { method: "DELETE" })).status).toBe(200);
  await Promise.all([ending.ended, second.ended]);
  expect([ending.lastComment, second.lastComment]).toEqual(Array(2).fill("ended: the developer key was revoked"));
  // This process forgets the key in its own time; until then, a new stream ends as the others did.
  await waitUntil("the key to be refused", async () => {
    const headers = { Accept: "text/event-stream", Authorization: `Bearer ${revoked.key}` };
    return (await callApi(api, "/events", { headers, from: someAddress() })).status === 401;
  });

  await appendTestEvents(database, { chainId: TEST_CHAIN_ID, contract: CONTRACT }, { first: 1, count: 1 });
  for (const reader of [staying, signedIn, free]) await waitUntil("the event", () => reader.events.length === 1);
  expect((await browser.send("/portal/session", { method: "DELETE" })).status).toBe(200);
  await signedIn.ended;
  expect(signedIn.lastComment).toBe("ended: the portal session has ended");
  for (const reader of [staying, free]) {
    const before = reader.comments;
    await waitUntil("more comments", () => reader.comments > before + 2);
  }
});

test("all streams are checked together; one that is closed, or of the free lane, costs nothing; a session ends when it expires", async () => {
  let checks = 0;
  const counted: Database = {
    ...database,
    run(what, work) {
      checks++;
      return database.run(what, work);
    },
  };
  let now = 1_000;
  const watch = createAccessWatch(counted, () => now);
  const [issuedAt, createdAt, expiresAt] = [new Date(0), new Date(0), new Date(5_000)];
  await storePortalChallenge(database, { nonceHash: "n", address: "0x", issuedAt, expiresAt });
  const session = { tokenHash: "t", subjectId: "s", createdAt, expiresAt };
  expect(await startPortalSession(database, { session, nonceHash: "n", endsTokenHash: null })).toBe(true);

  watch.add({});
  await watch.check();
  expect(checks).toBe(0);
  const streams = Array.from({ length: 100 }, () => watch.add({ session }));
  const unknown = watch.add({ keyId: crypto.randomUUID() });
  await watch.check();
  expect(checks).toBe(1);
  expect(unknown.endReason()).toBe("the developer key was revoked");
  expect(streams.filter((each) => each.endReason() !== null)).toEqual([]);
  now = 5_000;
  await watch.check();
  expect(streams.filter((each) => each.endReason() === "the portal session has ended")).toHaveLength(100);
  for (const each of [unknown, ...streams]) each.remove();
  await watch.check();
  expect(checks).toBe(2);
});
