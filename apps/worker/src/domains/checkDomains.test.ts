import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { readProviderProfile } from "@dueday/db/history/readProviderProfile";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTxtServer, type TxtAnswerOf } from "@dueday/worker/test/startTxtServer";
import type { ChainContext } from "../context";
import { checkDomains } from "./checkDomains";
import { findProviderRecord } from "./findProviderRecord";

const HOUR_MS = 3_600_000;
const { database } = await createTestDatabase();
const server = await startTxtServer();
afterAll(() => server.stop());

const chain = { chainId: 31_337, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" } as const;
const provider = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
const RECORD = "provider=eip155:31337:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const NAME = "_dueday.shop.example";
const logger = createLogger(parseConfig({}), { write() {} });
let now = Date.now();
// Only what the checks use: no node, no scans.
const context = { chain, database, logger, clock: () => now } as unknown as ChainContext;
const { signal } = new AbortController();
const check = () => checkDomains(context, { servers: [server.address], signal });

async function publish(domain: string, by: string = provider): Promise<void> {
  await database.sql`
    insert into provider_profiles values (${chain.chainId}, ${chain.contract}, ${Buffer.from(by.slice(2), "hex")},
      '', 'Company', '', ${domain}, '', '', false, 1, 1)
    on conflict (chain_id, contract, provider) do update set domain = excluded.domain`;
}

async function verified(by: `0x${string}` = provider): Promise<string | null | undefined> {
  const found = await readProviderProfile(database, chain, by);
  return typeof found === "string" ? undefined : found.value?.verifiedDomain;
}

await database.sql`
  insert into index_checkpoints (chain_id, contract, number, hash, timestamp, head_number, head_timestamp, confirmed_at, derived_version)
  values (${chain.chainId}, ${chain.contract}, 1, ${Buffer.alloc(32)}, 1, 1, 1, now(), 100)`;

beforeEach(async () => {
  await database.sql`delete from domain_checks`;
  await database.sql`delete from provider_profiles`;
  for (const name of Object.keys(server.answers)) delete server.answers[name];
  server.asked.length = 0;
  now = Date.now();
});

test("a domain and a profile that name each other are verified; nothing else is asked for", async () => {
  await publish(" Shop.Example ");
  server.answers[NAME] = ["v=spf1 -all", RECORD.toLowerCase()];
  await check();
  expect(await verified()).toBe("shop.example");
  expect(server.asked).toEqual([`udp TXT ${NAME}`]);
  await check();
  expect(server.asked.length).toBe(1);
});

test("a domain is lost with its record, and regained, a day after the last look-up", async () => {
  await publish("shop.example");
  server.answers[NAME] = [RECORD];
  await check();
  for (const [answer, domain] of [
    ["nxdomain", null],
    [[RECORD], "shop.example"],
    [["provider=eip155:1:0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"], null],
    [[RECORD], "shop.example"],
    ["no_data", null],
  ] satisfies [TxtAnswerOf, string | null][]) {
    server.answers[NAME] = answer;
    now += 24 * HOUR_MS;
    await check();
    expect(await verified()).toBe(domain);
  }
});

test("a changed profile is looked up at once, and what it names no longer is not verified even before", async () => {
  await publish("shop.example");
  server.answers[NAME] = [RECORD];
  await check();
  await publish("other.example");
  expect(await verified()).toBeNull();
  await check();
  expect([await verified(), server.asked.at(-1)]).toEqual([null, "udp TXT _dueday.other.example"]);
  await publish("shop.example");
  expect(await verified()).toBeNull();
  await check();
  expect(await verified()).toBe("shop.example");
});

test("a domain that a stranger's profile claims is not the stranger's", async () => {
  const stranger = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
  await publish("shop.example");
  await publish("shop.example", stranger);
  server.answers[NAME] = [RECORD];
  await check();
  expect([await verified(), await verified(stranger)]).toEqual(["shop.example", null]);
});

test.each<TxtAnswerOf>(["servfail", "refused"])(
  "a resolver that fails (%p) ends nothing, and is asked again after an hour",
  async (fault) => {
    await publish("shop.example");
    server.answers[NAME] = [RECORD];
    await check();
    server.answers[NAME] = fault;
    now += 24 * HOUR_MS;
    await check();
    expect(await verified()).toBe("shop.example");
    const asked = server.asked.length;
    now += HOUR_MS / 2;
    await check();
    expect(server.asked.length).toBe(asked);
    server.answers[NAME] = "nxdomain";
    now += HOUR_MS / 2;
    await check();
    expect(await verified()).toBeNull();
  },
);

test("new profiles in any number do not keep a verified domain waiting", async () => {
  await publish("shop.example");
  server.answers[NAME] = [RECORD];
  await check();
  for (let index = 1; index <= 120; index += 1)
    await publish(`d${index}.example`, `0x${String(index).padStart(40, "0")}`);
  now += 24 * HOUR_MS;
  server.asked.length = 0;
  await check();
  expect(server.asked.length).toBe(50);
  expect(server.asked).toContain(`udp TXT ${NAME}`);
});

test("a text that is no domain is asked for nowhere", async () => {
  for (const [index, domain] of [
    "https://shop.example",
    "127.0.0.1",
    "localhost",
    "a b.example",
    "*.example",
  ].entries())
    await publish(domain, `0x${String(index + 1).padStart(40, "0")}`);
  await check();
  expect(server.asked).toEqual([]);
});

describe("an answer that", () => {
  const find = (name: string, answer: TxtAnswerOf) => {
    server.answers[`_dueday.${name}`] = answer;
    return findProviderRecord({ domain: name, record: RECORD, servers: [server.address], signal });
  };
  const padding = (count: number) => Array.from({ length: count }, (_, index) => `${index} ${"x".repeat(150)}`);

  test.each<[string, TxtAnswerOf, boolean | null]>([
    ["has the record", [RECORD], true],
    ["has more around the record", [`${RECORD} `, `x${RECORD}`], false],
    ["is truncated is asked for over TCP", { truncated: [RECORD] }, true],
    ["is huge is read over TCP", { truncated: [RECORD, ...padding(300)] }, true],
    ["hides the record behind a hundred others does not have it", { truncated: [...padding(100), RECORD] }, false],
    ["says that the name does not exist is definite", "nxdomain", false],
    ["has no records is definite", "no_data", false],
    ["is SERVFAIL is not definite", "servfail", null],
    ["is REFUSED is not definite", "refused", null],
    ["is garbage is not definite", "garbage", null],
  ])("%s", async (label, answer, found) => {
    expect(await find(`${label.toLowerCase().replace(/\W+/g, "-")}.example`, answer)).toBe(found);
  });

  test.each<[string, TxtAnswerOf]>([
    ["has another id", { wrongId: [RECORD] }],
    ["has another question", { wrongQuestion: [RECORD] }],
    ["never comes", "silent"],
  ])(
    "%s is not believed, and waited for at most five seconds",
    async (label, answer) => {
      const start = performance.now();
      expect(await find(`${label.toLowerCase().replace(/\W+/g, "-")}.example`, answer)).toBeNull();
      expect(performance.now() - start).toBeLessThan(7_000);
    },
    10_000,
  );

  test("is waited for ends with the process", async () => {
    const aborter = new AbortController();
    server.answers["_dueday.slow.example"] = "silent";
    const found = findProviderRecord({
      domain: "slow.example",
      record: RECORD,
      servers: [server.address],
      signal: aborter.signal,
    });
    const start = performance.now();
    aborter.abort();
    expect(await found).toBeNull();
    expect(performance.now() - start).toBeLessThan(1_500);
  });
});

test("names that are in no DNS are asked of no server that the operator did not name", async () => {
  const start = performance.now();
  expect(await findProviderRecord({ domain: "shop.example", record: RECORD, servers: [], signal })).toBeNull();
  expect(performance.now() - start).toBeLessThan(1_000);
});
