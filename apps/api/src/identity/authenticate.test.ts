import { expect, test } from "bun:test";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { memoryLimiter } from "../limits/memoryLimiter";
import { createAuthenticate } from "./authenticate";
import { type Caller, createIdentity } from "./clientIdentity";
import type { KnownKey } from "./developerKeys";
import { createKeyText, hashKeyText } from "./keyText";

const SECRET = "an admin secret for tests";

/** Authentication over a store of keys that counts its look-ups, and answers when `answer` is called. */
function start() {
  const valid = new Map<string, KnownKey>();
  const cache = new Map<string, KnownKey | null>();
  const lookUps: { hash: string; settle: PromiseWithResolvers<void> }[] = [];
  const state = { now: 1, holdsLookUps: false };
  const authenticate = createAuthenticate({
    config: { adminSecret: SECRET, developerKeysEnabled: true },
    portal: null,
    limiter: memoryLimiter({ clock: () => state.now }),
    keys: {
      cached: (hash) => cache.get(hash),
      async lookUp(hash) {
        const settle = Promise.withResolvers<void>();
        lookUps.push({ hash, settle });
        if (state.holdsLookUps) await settle.promise;
        const key = valid.get(hash) ?? null;
        cache.set(hash, key);
        return key;
      },
      noteUse: () => {},
    },
  });
  const request = async (key: string, address = "a"): Promise<Caller> =>
    authenticate({
      client: createIdentity(address, null),
      method: "GET",
      path: "/catalog",
      authorization: `Bearer ${key}`,
      headers: new Headers(),
    });
  const administer = async (adminKey: string): Promise<unknown> => {
    const client = createIdentity("a", null);
    const headers = new Headers({ "X-Service-Admin-Key": adminKey });
    const credentials = { client, method: "GET", path: "/developer/keys", authorization: null, headers };
    return Promise.try(authenticate, credentials).then(
      ({ lane }) => lane,
      (error) => error.code,
    );
  };
  const outcome = (key: string, address?: string): Promise<unknown> =>
    request(key, address).then(
      ({ lane }) => lane,
      (error) => error.code,
    );
  function createKey(): string {
    const { text } = createKeyText();
    valid.set(hashKeyText(text) ?? "", { id: crypto.randomUUID(), subjectId: "customer-17", byAdmin: true });
    return text;
  }
  return { state, lookUps, request, outcome, administer, createKey };
}

const unknownKey = () => createKeyText().text;

test("an address over the limit of failed authentications costs no look-up, however many unknown keys it sends at once", async () => {
  const { lookUps, outcome } = start();
  const outcomes = await Promise.all(Array.from({ length: 500 }, () => outcome(unknownKey())));
  expect(outcomes.filter((code) => code === "UNAUTHORIZED")).toHaveLength(30);
  expect(outcomes.filter((code) => code === "RATE_LIMITED")).toHaveLength(470);
  expect(lookUps).toHaveLength(30);
  await outcome(unknownKey());
  expect(lookUps).toHaveLength(30);
});

test("malformed keys count as failures too: after them an unknown key costs no look-up", async () => {
  const { lookUps, outcome } = start();
  for (let sent = 0; sent < 30; sent += 1) expect(await outcome("no-key")).toBe("UNAUTHORIZED");
  expect(await outcome(unknownKey())).toBe("RATE_LIMITED");
  expect(lookUps).toHaveLength(0);
});

test("an address over the limit goes on with keys in use, and other addresses with any key", async () => {
  const { outcome, createKey, state } = start();
  const [used, unused] = [createKey(), createKey()];
  expect(await outcome(used)).toBe("developer");
  for (let sent = 0; sent < 31; sent += 1) await outcome(unknownKey());
  expect(await outcome(used)).toBe("developer");
  expect(await outcome(unused)).toBe("RATE_LIMITED");
  expect(await outcome(unused, "b")).toBe("developer");
  state.now += 60_000;
  expect(await outcome(createKey())).toBe("developer");
});

test("an unknown key costs one look-up, however often it is sent", async () => {
  const { lookUps, outcome } = start();
  const key = unknownKey();
  for (let sent = 0; sent < 3; sent += 1) expect(await outcome(key)).toBe("UNAUTHORIZED");
  await Promise.all([outcome(key, "b"), outcome(key, "c")]);
  expect(lookUps).toHaveLength(1);
});

test("any number of keys can be used by one address for the first time at once", async () => {
  const { outcome, createKey } = start();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome(createKey())));
  expect(new Set(outcomes)).toEqual(new Set(["developer"]));
});

test("where keys can't be looked up, requests that wait for their turn are refused with the one before them, and no failure counts", async () => {
  const { state, lookUps, outcome, createKey } = start();
  state.holdsLookUps = true;
  const waiting = Array.from({ length: 50 }, () => outcome(createKey()));
  await waitUntil("the look-up", () => lookUps.length > 0);
  lookUps[0]?.settle.reject(new Error("away"));
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["UPSTREAM_UNAVAILABLE"]));
  expect(lookUps).toHaveLength(1);
  state.holdsLookUps = false;
  expect(await outcome(createKey())).toBe("developer");
});

test("a rejected key's error carries what is left of the limit of failed authentications", async () => {
  const { request } = start();
  await expect(request(unknownKey())).rejects.toMatchObject({
    headers: { "WWW-Authenticate": "Bearer" },
    consulted: [{ demand: { name: "failedAuthentications", limit: 30 }, remaining: 29 }],
  });
});

test("of admin secrets sent at once, 30 wrong ones are compared, and a right one after them is refused like the rest", async () => {
  const { administer, state } = start();
  const wrong = Array.from({ length: 200 }, (_, index) => `guess ${index}`);
  const outcomes = await Promise.all([...wrong, SECRET].map(administer));
  expect(outcomes.filter((code) => code === "UNAUTHORIZED")).toHaveLength(30);
  expect(outcomes.filter((code) => code === "RATE_LIMITED")).toHaveLength(171);
  expect(outcomes.at(-1)).toBe("RATE_LIMITED");
  state.now += 60_000;
  expect(await administer(SECRET)).toBe("free");
});

test("the right admin secret is accepted after a key look-up that failed", async () => {
  const { administer, lookUps, outcome, createKey, state } = start();
  state.holdsLookUps = true;
  const key = outcome(createKey());
  const admin = administer(SECRET);
  await waitUntil("the look-up", () => lookUps.length > 0);
  lookUps[0]?.settle.reject(new Error("away"));
  expect(await Promise.all([key, admin])).toEqual(["UPSTREAM_UNAVAILABLE", "free"]);
});

test("the caller of a key acts for the key's owner, before and after the key is cached; a caller without one for no owner", async () => {
  const { request, createKey } = start();
  const key = createKey();
  for (let sent = 0; sent < 2; sent += 1) expect((await request(key)).subject).toBe("customer-17");
  expect(createIdentity("a", null).free.subject).toBeNull();
});
