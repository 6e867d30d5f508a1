import { afterAll, beforeAll, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { startProxy } from "@dueday/chain/test/startProxy";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { ServiceError } from "@dueday/core/errors";
import { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { DueDayHead } from "@dueday/core/snapshots/dueDay";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import type { ConfirmationMessage } from "@dueday/db/confirmationMessage";
import { readDuePages } from "@dueday/db/duePages/readDuePages";
import { listenSnapshots } from "@dueday/db/listenSnapshots";
import { portalChallenges, portalSessions } from "@dueday/db/schema/portal";
import { confirmSnapshots } from "@dueday/db/snapshots/confirmSnapshots";
import { markSnapshotsOrphaned } from "@dueday/db/snapshots/markSnapshotsOrphaned";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Value } from "@sinclair/typebox/value";
import type { ChainContext } from "../context";
import { createScanProgress } from "../createScanProgress";
import { prune } from "./prune";
import { scanDue } from "./scanDue";
import { scanRemit } from "./scanRemit";

const { database, url } = await createTestDatabase();
const noon = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS + DAY_SECONDS / 2;
const whenever = { atLeastBlock: null };
let devnet: Devnet;
let context: ChainContext;
let nowMs = 0;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: noon });
  const config = parseConfig({
    LOG_LEVEL: "silent",
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
  });
  const [chain] = config.chains;
  if (chain === undefined) throw new Error("the settings hold a chain");
  const client = createChainClient({ chainId: 31337, rpcUrls: chain.rpcUrls, requestTimeoutMs: 30_000 });
  const { planCaller } = config;
  const stateCache = createRemitStateCache(chain.contract);
  const logger = createLogger(config);
  const onPlanAlarm = ({ kind }: PlanAlarm) => {
    throw new Error(`the plan raises an alarm: ${kind}`);
  };
  context = {
    head: () => null,
    covered: () => null,
    scans: { plan: null, due: null },
    progress: createScanProgress(Date.now, () => {}),
    chain,
    client,
    database,
    logger,
    clock: () => nowMs,
    stateCache,
    onPlanAlarm,
    planCaller,
    eventsRetentionDays: 30,
  };
});

afterAll(() => devnet.stop());

async function snapshots(kind: SnapshotKind, keys?: string[]) {
  const { chainId, contract } = context.chain;
  return readSnapshots(database, { chainId, contract, kind, ...(keys === undefined ? {} : { keys }) });
}

async function readiness() {
  const [snapshot] = await snapshots("readiness");
  if (snapshot === undefined) throw new Error("there is no plan");
  return snapshot;
}

test("scan_remit writes the plan for the plan caller at the head", async () => {
  await scanRemit(context, whenever);
  const { blockHash, payload } = await readiness();
  expect<string>(blockHash).toBe((await readHead(context.client)).hash);
  const plan = Value.Parse(RemitReadiness, JSON.parse(payload));
  expect(plan).toMatchObject({ ready: true, reason: "due", from: context.planCaller });
  expect(plan.plan.transactions.length).toBeGreaterThan(5);
});

test("scan_due writes today and the next 35 days, the protocol and its tokens, at one block", async () => {
  await scanDue(context, whenever);
  const days = await snapshots("due");
  const today = dayNumber((await readHead(context.client)).timestamp);
  expect(days.map(({ key }) => Number(key))).toEqual(Array.from({ length: 36 }, (_, index) => today + index));
  const rows = [...days, ...(await snapshots("protocol")), ...(await snapshots("tokens"))];
  expect(rows.length).toBe(38);
  expect(new Set(rows.map(({ blockHash }) => blockHash)).size).toBe(1);
  const due = days.map(({ payload }) => Value.Parse(DueDayHead, JSON.parse(payload)));
  expect(due.reduce((sum, { totals }) => sum + totals.payments, 0)).toBeGreaterThan(0);
});

test("the pages that the due lists name are stored, and a scan that finds the same stores none", async () => {
  await scanDue(context, whenever);
  const heads = (await snapshots("due")).map(({ payload }) => Value.Parse(DueDayHead, JSON.parse(payload)));
  const named = new Set(heads.flatMap(({ lists }) => lists.flatMap(({ pages }) => pages)));
  const stored = await readDuePages(database, context.chain, [...named]);
  expect(new Set(stored.keys())).toEqual(named);
  const entries = heads.flatMap(({ lists }) => lists.map(({ pages }) => pages.map((hash) => stored.get(hash) ?? "[]")));
  const lengths = entries.map((texts) => texts.reduce((sum, text) => sum + JSON.parse(text).length, 0));
  expect(lengths).toEqual(heads.flatMap(({ lists }) => lists.map(({ held }) => held)));
  expect(lengths.some((length) => length > 0)).toBe(true);
  const count = async () => (await database.sql<{ n: number }[]>`select count(*)::int as n from due_pages`)[0]?.n;
  const before = await count();
  await scanDue(context, whenever);
  expect(await count()).toBe(before);
});

test("due lists that go on from the plan of scan_remit are those of a scan that plans by itself", async () => {
  const proxy = startProxy(devnet.url);
  const client = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 30_000 });
  const simulations = () => proxy.calls.filter(({ method }) => method === "eth_simulateV1").length;
  const scan = async (scans: ChainContext["scans"]) => {
    await database.sql`delete from snapshots where kind like 'due%'`;
    const before = simulations();
    await scanDue({ ...context, client, stateCache: createRemitStateCache(context.chain.contract), scans }, whenever);
    const contents = (await snapshots("due")).map(({ key, hash }) => `${key} ${hash}`);
    return { contents, simulations: simulations() - before };
  };
  await scanRemit(context, whenever);
  const { scans } = context;
  const continued = await scan(scans);
  const alone = await scan({ plan: null, due: null });
  await proxy.stop();
  expect(continued.contents).toHaveLength(36);
  expect(continued.contents).toEqual(alone.contents);
  expect([continued.simulations, alone.simulations]).toEqual([0, 1]);
});

test("tokens that are not configured are found in the due lists, and stay in the snapshot", async () => {
  await scanDue(context, whenever);
  await scanDue(context, whenever);
  const [snapshot] = await snapshots("tokens");
  const { tokens } = Value.Parse(ApprovedTokens, JSON.parse(snapshot?.payload ?? "null"));
  expect(tokens.length).toBeGreaterThanOrEqual(3);
  expect(tokens.every(({ approved }) => approved)).toBe(true);
});

test("a scan that finds the same again announces it, and its row changes at most once a minute", async () => {
  await scanRemit(context, whenever);
  const before = await readiness();
  const confirmed: ConfirmationMessage[] = [];
  let isListening = false;
  const listener = listenSnapshots({
    url,
    onChange() {},
    onDisconnect: console.error,
    onConnect: () => {
      isListening = true;
    },
    onConfirmation: (message) => void confirmed.push(message),
  });
  await waitUntil("the notifications to arrive", () => isListening);
  nowMs += 1_000;
  await scanRemit(context, whenever);
  await waitUntil("the confirmation", () => confirmed.length === 1);
  expect(confirmed[0]).toMatchObject({
    confirmedAt: new Date(nowMs).toISOString(),
    block: { number: String(before.blockNumber), hash: before.blockHash },
    snapshots: [[expect.stringContaining("readiness"), "", before.hash.slice(0, 16)]],
  });
  expect(await readiness()).toEqual(before);
  nowMs += 60_000;
  await devnet.client.mine({ blocks: 1 });
  const head = await readHead(context.client);
  const timestampMs = Number(head.timestamp) * 1_000 + 400;
  await confirmSnapshots(database, {
    chainId: context.chain.chainId,
    contract: context.chain.contract,
    block: { ...head, timestampMs },
    confirmedAt: new Date(nowMs),
    snapshots: [before],
  });
  expect(await readiness()).toEqual({
    ...before,
    blockNumber: head.number,
    blockHash: head.hash,
    blockTimestamp: Number(head.timestamp),
    blockTimestampMs: timestampMs,
    confirmedAt: new Date(nowMs),
  });
  await listener.close();
});

test("a scan for a block that is scanned already does nothing, unless that block was orphaned", async () => {
  await scanRemit(context, whenever);
  const before = await readiness();
  const { blockNumber } = before;
  nowMs += 1_000;
  await scanRemit(context, { atLeastBlock: blockNumber });
  expect(await readiness()).toEqual(before);
  const { chainId, contract } = context.chain;
  await markSnapshotsOrphaned(database, { chainId, contract, fromBlock: blockNumber });
  await scanRemit(context, { atLeastBlock: blockNumber });
  expect(await readiness()).toMatchObject({ orphaned: false, computedAt: new Date(nowMs) });
});

test("a node that is behind the block to be scanned is a retryable failure, and nothing is written", async () => {
  const before = await snapshots("readiness");
  const head = await readHead(context.client);
  const failure = await scanRemit(context, { atLeastBlock: head.number + 1n }).catch((error: unknown) => error);
  if (!(failure instanceof ServiceError)) throw new Error("the scan did not fail as expected");
  expect(failure).toMatchObject({ code: "UPSTREAM_UNAVAILABLE", retryable: true });
  expect(await snapshots("readiness")).toEqual(before);
});

test("prune deletes the days that are no longer scanned, and only those", async () => {
  await scanDue(context, whenever);
  await devnet.client.setNextBlockTimestamp({ timestamp: BigInt(noon + 3 * DAY_SECONDS) });
  await devnet.client.mine({ blocks: 1 });
  await prune(context);
  const today = dayNumber(noon + 3 * DAY_SECONDS);
  expect((await snapshots("due")).map(({ key }) => Number(key))).toEqual(
    Array.from({ length: 33 }, (_, index) => today + index),
  );
  expect((await snapshots("protocol")).length).toBe(1);
});

test("prune deletes expired challenges and sessions of the developer portal, and no others", async () => {
  const clockMs = context.clock();
  const insert = (name: string, expiresAtMs: number) => {
    const times = { issuedAt: new Date(0), createdAt: new Date(0), expiresAt: new Date(expiresAtMs) };
    return database.db.transaction(async (transaction) => {
      await transaction.insert(portalChallenges).values({ ...times, nonceHash: name, address: "0x" });
      await transaction.insert(portalSessions).values({ ...times, tokenHash: name, subjectId: "s" });
    });
  };
  await insert("expired", clockMs - 1);
  await insert("valid", clockMs + 1);
  await prune(context);
  expect((await database.db.select().from(portalChallenges)).map(({ nonceHash }) => nonceHash)).toEqual(["valid"]);
  expect((await database.db.select().from(portalSessions)).map(({ tokenHash }) => tokenHash)).toEqual(["valid"]);
});
