import { expect, test } from "bun:test";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { parseRange } from "./clientAddress";
import { createProxyWarning } from "./proxyWarning";

type Sent = { peer?: string | null; forwardedFor(index: number): string | null; everyMs?: number };

/** The proxies that warnings name after 100 requests. */
function warned({ peer = "10.0.0.1", forwardedFor, everyMs = 1000 }: Sent, trusted: string[] = []): unknown[] {
  const proxies: unknown[] = [];
  const warn = (facts: { proxy: string }) => proxies.push(facts.proxy);
  const note = createProxyWarning({ warn }, trusted.map(parseRange));
  for (let index = 0; index < 100; index += 1) note({ peer, forwardedFor: forwardedFor(index) }, index * everyMs);
  return proxies;
}

const many = (index: number) => `203.0.113.${index}`;

test("a private address that forwards requests of many clients is named once, unless it is a trusted proxy", () => {
  expect(warned({ forwardedFor: many })).toEqual(["10.0.0.1"]);
  expect(warned({ peer: "::ffff:172.17.0.1", forwardedFor: many })).toEqual(["::ffff:172.17.0.1"]);
  expect(warned({ peer: "fd00::1", forwardedFor: many })).toEqual(["fd00::1"]);
  expect(warned({ peer: "192.168.1.9", forwardedFor: many }, ["10.0.0.0/8"])).toEqual(["192.168.1.9"]);
  expect(warned({ forwardedFor: many }, ["10.0.0.0/8"])).toEqual([]);
});

test("few clients, a client's own X-Forwarded-For, and requests without one cause no warning", () => {
  expect(warned({ forwardedFor: (index) => `203.0.113.${index % 19}` })).toEqual([]);
  // Some proxies write the port of each connection.
  expect(warned({ forwardedFor: (index) => `203.0.113.7:${5000 + index}` })).toEqual([]);
  // The client wrote all but the last entry.
  expect(warned({ forwardedFor: (index) => `${many(index)}, 198.51.100.1` })).toEqual([]);
  expect(warned({ peer: "198.51.100.1", forwardedFor: many })).toEqual([]);
  expect(warned({ forwardedFor: () => null })).toEqual([]);
  expect(warned({ peer: null, forwardedFor: many })).toEqual([]);
});

test("clients are forgotten after ten minutes: few at a time cause no warning", () => {
  expect(warned({ forwardedFor: many, everyMs: 40_000 })).toEqual([]);
});

test("of at most 32 peers clients are counted", () => {
  const proxies: unknown[] = [];
  const note = createProxyWarning({ warn: (facts: { proxy: string }) => proxies.push(facts.proxy) }, []);
  for (let index = 0; index < 32; index += 1) note({ peer: `10.0.1.${index}`, forwardedFor: many(0) }, 0);
  for (let index = 0; index < 100; index += 1) note({ peer: "10.0.0.1", forwardedFor: many(index) }, 0);
  expect(proxies).toEqual([]);
});

test("an API behind a proxy that it does not trust logs one warning", async () => {
  const api = await startTestApi({
    database: await createTestDatabase(),
    rpcUrl: "http://127.0.0.1:1",
    contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  });
  for (let index = 0; index < 50; index += 1)
    await fetch(`${api.url}/`, { headers: { "X-Forwarded-For": many(index) } });
  const warnings = api.logText().match(/.*TRUSTED_PROXIES.*/g) ?? [];
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(String(warnings[0]))).toMatchObject({ level: "warn", proxy: "127.0.0.1" });
  await api.stop();
});
