import { afterAll, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { connectDatabase } from "./connectDatabase";
import { DatabaseError } from "./databaseError";
import { watchDatabase } from "./watchDatabase";

const { url } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function start() {
  const proxy = await startTcpProxy();
  cleanUps.push(proxy.stop);
  const port = Number(new URL(url).port);
  proxy.pointAt(port);
  const address = new URL(url);
  address.port = String(proxy.port);
  const seen: string[] = [];
  const watch = watchDatabase({
    database: connectDatabase({ url: address.href, poolSize: 1 }),
    onAway: () => void seen.push("away"),
    onBack: () => void seen.push("back"),
  });
  cleanUps.push(watch.close);
  return { proxy, port, watch, seen };
}

test("a database that goes away is known within 5 s, and reported once, and once when it is back", async () => {
  const { proxy, port, watch, seen } = await start();
  await waitUntil("a probe that was answered", () => !watch.isAway());
  proxy.pointAt(1);
  proxy.cut();
  const cutAt = performance.now();
  await waitUntil("the outage", watch.isAway);
  expect(performance.now() - cutAt).toBeLessThan(5_000);
  for (let error = 0; error < 100; error++)
    expect(watch.covers(new Error("a job failed", { cause: new DatabaseError("read", "UNREACHABLE") }))).toBe(true);
  proxy.pointAt(port);
  await waitUntil("its end", () => !watch.isAway());
  expect(seen).toEqual(["away", "back"]);
});

test("an outage that is over before a probe notices it is reported by the first error that comes of it", async () => {
  const { watch, seen } = await start();
  await waitUntil("a probe that was answered", () => !watch.isAway());
  expect(watch.covers(new DatabaseError("read snapshots", "57P01"))).toBe(true);
  expect(seen).toEqual(["away"]);
  await waitUntil("its end", () => seen.length === 2);
});

test("an error that comes after the end of an outage, of what was asked before, does not begin another", async () => {
  const { watch, seen } = await start();
  await waitUntil("a probe that was answered", () => !watch.isAway());
  const late = new DatabaseError("hold the lease", "UNREACHABLE");
  expect(watch.covers(late)).toBe(true);
  await waitUntil("its end", () => !watch.isAway());
  expect(watch.covers(late)).toBe(true);
  expect([watch.isAway(), seen]).toEqual([false, ["away", "back"]]);
});

test("a statement that the database refuses is no outage", async () => {
  const { watch, seen } = await start();
  for (const error of [new DatabaseError("read", "42P01"), new Error("else"), "text", null])
    expect(watch.covers(error)).toBe(false);
  expect(seen).toEqual([]);
});
