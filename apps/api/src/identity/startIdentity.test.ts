import { afterAll, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { DAY_MS } from "../limits/limiter";
import { memoryLimiter } from "../limits/memoryLimiter";
import type { Origin } from "./clientAddress";
import { startIdentity } from "./startIdentity";

const { database } = await createTestDatabase();
const config = parseConfig({ TRUSTED_PROXIES: "10.0.0.0/8" });
const MINUTE_MS = 60_000;
/** Noon: far from the change of the key. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const time = { now: NOON };
const clock = () => time.now;
const logger = createLogger(config, { write: () => {} });
const identity = await startIdentity({ config, database, clock, logger, limiter: memoryLimiter({ clock }) });
afterAll(() => identity.close());

/** Whether a second request gets the identity that the first one left in the cache. */
function isCached(origin: Origin): boolean {
  return identity.identify(origin) === identity.identify({ ...origin });
}

test("a client is found by its peer and its X-Forwarded-For, and by nothing else", () => {
  const origins: Origin[] = [
    { peer: "10.0.0.1", forwardedFor: null },
    { peer: "10.0.0.1", forwardedFor: "" },
    { peer: "10.0.0.1", forwardedFor: "203.0.113.9" },
    { peer: "10.0.0.2", forwardedFor: "203.0.113.9" },
    { peer: "198.51.100.1", forwardedFor: "203.0.113.9" },
    { peer: "198.51.100.1", forwardedFor: null },
    { peer: null, forwardedFor: null },
  ];
  const first = origins.map((origin) => identity.identify(origin));
  const hashes = first.map(({ hash }) => hash);
  expect(hashes.map((hash) => hashes.indexOf(hash))).toEqual([0, 0, 2, 2, 4, 4, 6]);
  expect(origins.every((origin, index) => identity.identify({ ...origin }) === first[index])).toBe(true);
});

test("neither many clients nor long headers fill the cache", () => {
  const kept = { peer: "198.51.100.2", forwardedFor: null };
  const held = identity.identify(kept);
  const long = (index: number) => ({ peer: "10.0.0.1", forwardedFor: `${"x".repeat(252)},${index + 10_000}` });
  expect(isCached(long(0))).toBe(false);
  for (let index = 0; index < 20_000; index += 1) identity.identify(long(index));
  expect(identity.identify(kept)).toBe(held);
  for (let index = 0; index < 20_000; index += 1) {
    identity.identify({ peer: `203.0.${index >> 8}.${index & 255}`, forwardedFor: null });
  }
  expect(identity.identify(kept)).not.toBe(held);
  expect(isCached(kept)).toBe(true);
});

test("a client that goes on sending keeps its identity, and one that does not is forgotten within ten minutes", () => {
  const [sends, stops] = [
    { peer: "198.51.100.7", forwardedFor: null },
    { peer: "198.51.100.8", forwardedFor: null },
  ];
  const [sending, stopped] = [identity.identify(sends), identity.identify(stops)];
  for (let minute = 0; minute < 10; minute += 1) {
    time.now += MINUTE_MS;
    expect(identity.identify(sends)).toBe(sending);
  }
  expect(identity.identify(stops)).not.toBe(stopped);
  time.now += 10 * MINUTE_MS;
  expect(identity.identify(sends)).not.toBe(sending);
});

test("at midnight a client in the cache gets the new day's hash, beside the old one for two minutes", () => {
  const origin = { peer: "198.51.100.9", forwardedFor: null };
  time.now = NOON + DAY_MS / 2 - 1;
  const before = identity.identify(origin);
  time.now += 1;
  const after = identity.identify(origin);
  expect(after.previousHash).toBe(before.hash);
  expect(after.hash).not.toBe(before.hash);
  time.now += 2 * MINUTE_MS;
  expect(identity.identify(origin)).toMatchObject({ hash: after.hash, previousHash: null });
});
