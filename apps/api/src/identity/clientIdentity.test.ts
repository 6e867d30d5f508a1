import { expect, test } from "bun:test";
import { nextIdentityKey } from "@dueday/db/nextIdentityKey";
import { DAY_MS, MINUTE_MS } from "../limits/limiter";
import { memoryLimiter } from "../limits/memoryLimiter";
import { parseAddress } from "./clientAddress";
import { createClientIdentity } from "./clientIdentity";

const start = { day: 20_000, key: "ab".repeat(32) };
const NOON = 20_001.5 * DAY_MS;
const MIDNIGHT = 20_002 * DAY_MS;
const address = parseAddress("203.0.113.9");

test("processes that started with keys of different days agree, and a client's hashes of two days differ", () => {
  const identify = createClientIdentity(start);
  const late = createClientIdentity(nextIdentityKey(nextIdentityKey(start)));
  const today = identify(address, NOON);
  const later = identify(address, NOON + 2 * DAY_MS);
  expect(late(address, NOON + 2 * DAY_MS)).toEqual(later);
  expect(later.hash).not.toBe(today.hash);
  expect(today.hash).toMatch(/^[\w-]{16}$/);
});

test("each address has its own hash, and clients without an address share one", () => {
  const identify = createClientIdentity(start);
  const hashes = [address, parseAddress("203.0.113.8"), null, null].map((one) => identify(one, NOON).hash);
  expect(new Set(hashes).size).toBe(3);
});

test("a clock that steps back across midnight gives the hash of the day before", () => {
  const identify = createClientIdentity(start);
  const before = identify(address, MIDNIGHT - 1).hash;
  identify(address, MIDNIGHT);
  expect(identify(address, MIDNIGHT - 1)).toMatchObject({ hash: before, previousHash: null });
});

test("the change of the key at midnight frees no minute bucket: yesterday's hash still counts while it has admissions", async () => {
  const clock = { now: MIDNIGHT - 30_000 };
  const identify = createClientIdentity(start);
  const limiter = memoryLimiter({ clock: () => clock.now });
  const admissions: number[] = [];
  for (; clock.now < MIDNIGHT + 5 * MINUTE_MS; clock.now += 500) {
    const { hash, previousHash } = identify(address, clock.now);
    const identities = previousHash === null ? [hash] : [hash, previousHash];
    const demands = identities.map((identity) => ({
      name: "globalRpm",
      identity,
      limit: 20,
      window: "minute" as const,
      cost: 1,
      enforced: true,
    }));
    const { admitted } = await limiter.take(demands);
    if (admitted) admissions.push(clock.now);
  }
  for (const from of admissions) {
    expect(admissions.filter((at) => at >= from && at < from + MINUTE_MS).length).toBeLessThanOrEqual(20);
  }
  expect(admissions.length).toBeGreaterThanOrEqual(5 * 20);
});
