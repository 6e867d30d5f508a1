import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { type Entity, startSubgraphServer } from "@dueday/api/test/subgraphServer";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { decodeProtocolEvent } from "@dueday/core/events/decodeProtocolEvent";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { Type } from "@sinclair/typebox";
import { querySubgraph } from "./subgraph/querySubgraph";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: demo, now: 1_790_000_000 });
const { url: rpcUrl, contract } = devnet;
// Its backlog holds payments that fail.
const keeper = devnet.keeper.address;
for (let count = 0; count < 12; count++) {
  await send(devnet.client, { from: keeper, to: contract, data: encodeRemit() });
}
const fixture = { url: rpcUrl, contract, chainId: TEST_CHAIN_ID };
// An id that no fresh index has is unknown, and one that an old index lacks is not indexed: this one is fresh.
const indexing = { ...indexContext({ ...fixture, database: database.database }), clock: Date.now };
await indexLogs(indexing, new AbortController().signal);
const subgraph = startSubgraphServer(await entities());
const byIndex = await startTestApi({ database, rpcUrl, contract });
const bySubgraph = await startTestApi({
  database,
  rpcUrl,
  contract,
  env: { HISTORY_SOURCE: "subgraph", [`CHAIN_${TEST_CHAIN_ID}_SUBGRAPH_URL`]: subgraph.url },
});
afterAll(async () => {
  await Promise.all([byIndex.stop(), bySubgraph.stop(), devnet.stop()]);
  subgraph.stop();
});

/** The chain's events as the subgraph of the protocol keeps them. */
async function entities() {
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [rpcUrl], requestTimeoutMs: 10_000 });
  const logs = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: "latest" });
  const of: Record<string, Entity[]> = { SubLog: [], DetailsLog: [], ProvDetailsLog: [] };
  for (const log of logs) {
    const decoded = decodeProtocolEvent(log);
    if (decoded === null || !("provider" in decoded)) continue;
    const { event, ...fields } = decoded;
    const { id, code, ...rest } = { id: "", code: 0, ...fields };
    const place = new DataView(new ArrayBuffer(4));
    place.setUint32(0, log.logIndex, true);
    of[event]?.push({
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)])),
      id: `${log.transactionHash}${new Uint8Array(place.buffer).toHex()}`,
      internal_id: id,
      subScriptEvent: code,
      blockNumber: String(log.blockNumber),
      blockTimestamp: rest.timestamp,
      transactionHash: log.transactionHash,
    });
  }
  return { subLogs: of.SubLog ?? [], detailsLogs: of.DetailsLog ?? [], provDetailsLogs: of.ProvDetailsLog ?? [] };
}

/** One answer of each route of history, for what the demo holds. */
async function paths(): Promise<string[]> {
  const { body } = await callApi(byIndex, "/subscriptions");
  const found = Object(body.subscriptions) as { id: string; provider: string; token: string }[]; // by the API's schema
  const [first, second] = found;
  if (first === undefined || second === undefined) throw new Error("the demo has no two subscriptions");
  const { body: failures } = await callApi(byIndex, `/accounts/${first.provider}/activity?eventName=Failed`);
  const [failure] = Object(failures.events) as { id: string }[]; // by the API's schema
  if (failure === undefined) throw new Error("no payment has failed");
  return [
    `/subscriptions/${failure.id}/history?first=100`,
    "/subscriptions",
    "/subscriptions?first=3&skip=4",
    "/subscriptions?cancelled=true",
    `/subscriptions?provider=${first.provider}&frequency=1`,
    `/subscriptions?token=${second.token.toLowerCase()}&first=2`,
    `/subscriptions/${first.id}/details`,
    `/subscriptions/${first.id}/details-history`,
    `/subscriptions/${first.id}/history?first=5`,
    `/subscriptions/${second.id}/history?first=3&skip=2`,
    `/accounts/${first.provider}/activity?first=200`,
    `/accounts/${first.provider}/activity?first=7&skip=3`,
    `/providers/${first.provider}`,
    "/providers/0x0000000000000000000000000000000000000001",
  ];
}

/** What both sources must agree on. A subgraph counts only what it has seen the end of, names no block and has no cursors. */
function comparable(body: Record<string, unknown>) {
  const { asOf, count, role, breakdown, nextAfter, ...rest } = body;
  const events = Array.isArray(rest.events)
    ? { events: rest.events.map((event) => ({ ...event, finality: null, finalized: null })) }
    : {};
  return { ...rest, ...events };
}

test("an entry of a payment that failed has the amount of that payment, as income has, and not the 0 of its log", async () => {
  const { body } = await callApi(byIndex, "/subscriptions?first=10");
  const providers = new Set((Object(body.subscriptions) as { provider: string }[]).map(({ provider }) => provider)); // by the API's schema
  let failures = 0;
  for (const provider of providers) {
    const [activity, income] = await Promise.all([
      callApi(byIndex, `/accounts/${provider}/activity?eventName=Failed`),
      callApi(byIndex, `/providers/${provider}/income?fromDate=2026-01-01&toDate=2026-12-31&group=month`),
    ]);
    const entries = Object(activity.body.events) as { tokenSymbol: string; amountRaw: string; provider: string }[]; // by the API's schema
    const lost = Map.groupBy(
      entries.filter((entry) => entry.provider === provider),
      ({ tokenSymbol }) => tokenSymbol,
    );
    for (const { tokenSymbol, failedRaw } of Object(income.body.totals) as Record<string, string>[]) {
      const own = lost.get(String(tokenSymbol)) ?? [];
      expect(own.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n)).toBe(BigInt(failedRaw ?? -1));
      failures += own.length;
    }
  }
  expect(failures).toBeGreaterThan(0);
});

test("a subgraph answers every route of history as the index does", async () => {
  for (const path of await paths()) {
    const [ours, theirs] = await Promise.all([callApi(byIndex, path), callApi(bySubgraph, path)]);
    expect([path, ours.status, theirs.status]).toEqual([path, 200, 200]);
    expect([path, comparable(theirs.body)]).toEqual([path, comparable(ours.body)]);
    if (theirs.body.count !== null) expect<unknown>(theirs.body.count).toEqual(ours.body.count);
    if (theirs.body.breakdown !== null) expect<unknown>(theirs.body.breakdown).toEqual(ours.body.breakdown);
  }
  const unknown = `/subscriptions/0x${"ab".repeat(32)}/history`;
  expect((await callApi(bySubgraph, unknown)).status).toBe(404);
  expect((await callApi(byIndex, unknown)).status).toBe(404);
});

test("a subgraph's lists of a subscription at a block before its creation are empty, and the subscription is not called unknown", async () => {
  const { body } = await callApi(byIndex, "/subscriptions?first=1");
  const [{ id }] = Object(body.subscriptions);
  for (const [list, name] of [
    ["history", "events"],
    ["details-history", "entries"],
  ])
    expect(await callApi(bySubgraph, `/subscriptions/${id}/${list}?atBlock=1`)).toMatchObject({
      status: 200,
      body: { [`${name}`]: [], hasMore: false },
    });
});

const EMPTY = { list: [], subscriptions: [], events: [], entries: [], details: null, latestProfile: null };

/**
 * Expects of the four subgraph-backed reads a success without content, with an error that reveals nothing of the cause, and of search and
 * details a 503.
 */
async function expectGraceful(
  { api, knowsBlock }: { api: TestApi; knowsBlock: boolean },
  path: string,
  secrets: readonly string[],
): Promise<void> {
  const { status, body, text, headers } = await callApi(api, path);
  if (/^\/subscriptions(\?|$)|\/details$/.test(path)) {
    expect([path, status, body.code, headers.get("retry-after")]).toEqual([path, 503, "UPSTREAM_UNAVAILABLE", "5"]);
    for (const secret of secrets) expect(text + api.logText()).not.toContain(secret);
    return;
  }
  expect([path, status, body.error]).toEqual([path, 200, "The history source failed; try again later"]);
  // What is known of the source is the block of its last answer.
  if (knowsBlock) expect([path, body.asOf]).toMatchObject([path, { stale: true, blockHash: expect.any(String) }]);
  else expect([path, body.asOf]).toEqual([path, null]);
  for (const [field, value] of Object.entries(body)) {
    if (field in EMPTY) expect([path, field, value]).toEqual([path, field, Reflect.get(EMPTY, field)]);
  }
  for (const secret of secrets) expect(text + api.logText()).not.toContain(secret);
}

test("a subgraph that fails, or returns malformed data, leaves its four reads empty with an error, search and details unavailable, reveals nothing, and affects no other route", async () => {
  for (const mood of ["broken", "garbage"] as const) {
    subgraph.mood = mood;
    for (const path of await paths())
      await expectGraceful({ api: bySubgraph, knowsBlock: false }, path, [subgraph.secret, subgraph.url]);
    expect((await callApi(bySubgraph, "/protocol/state")).status).toBe(200);
  }
  subgraph.mood = "well";
  const [path = ""] = await paths();
  expect((await callApi(bySubgraph, path)).body.error).toBeUndefined();
});

test("a subgraph that never answers ends in a timeout", async () => {
  subgraph.mood = "silent";
  const asked = querySubgraph(
    { url: subgraph.url, apiKey: null, timeoutMs: 50 },
    "{ subLogs { id } }",
    Type.Object({}),
  );
  await expect(asked).rejects.toMatchObject({ code: "UPSTREAM_ERROR", details: { failure: "timeout" } });
  subgraph.mood = "well";
});

test("a database that fails leaves the four reads of history empty with an error and the last block that was known, search and details unavailable, reveals nothing, and affects no other route", async () => {
  const asked = await paths();
  const { sql } = database.database;
  await sql`alter table index_checkpoints rename to index_checkpoints_away`;
  try {
    for (const path of asked)
      await expectGraceful({ api: byIndex, knowsBlock: true }, path, ["index_checkpoints", database.url]);
    expect((await callApi(byIndex, "/protocol/state")).status).toBe(200);
  } finally {
    await sql`alter table index_checkpoints_away rename to index_checkpoints`;
  }
  expect((await callApi(byIndex, asked[0] ?? "")).body.error).toBeUndefined();
});

test("/status has the progress of the index, its finality by tag or by time, the blocks that were not read, and what calls to the nodes cost", async () => {
  const { body } = await callApi(byIndex, "/status");
  const { body: history } = await callApi(byIndex, "/subscriptions");
  const chain = Object(Object(body.checks).chains)[0];
  const indexedBlock = Object(history.asOf).blockNumber;
  expect(chain.eventIndex).toMatchObject({ indexedBlock, behindBlocks: 0, blocksPerSecond: null, secondsLeft: null });
  expect(chain.eventIndex.unproven).toEqual({ blocks: 0, stretches: [] });
  const { sql } = database.database;
  await sql`insert into unproven_ranges (chain_id, contract, from_block, to_block) values (${TEST_CHAIN_ID}, ${contract}, 3, 7)`;
  await sql`update index_checkpoints set safe_number = 5, final_number = 4, finality_by = 'time'`;
  const marked = Object(Object((await callApi(byIndex, "/status")).body.checks).chains)[0].eventIndex;
  expect(marked).toMatchObject({
    unproven: { blocks: 5, stretches: [{ fromBlock: "3", toBlock: "7" }] },
    finality: { by: "time", safeBlock: "5", finalizedBlock: "4" },
  });
  await sql`delete from unproven_ranges`;
  expect(chain.rpcUsage).toContainEqual(
    expect.objectContaining({ method: "eth_chainId", purpose: expect.any(String) }),
  );
});

test("every answer made from events names the first block whose events were not read, and none below it", async () => {
  const { sql } = database.database;
  const [{ number } = { number: 0 }] = await sql<{ number: number }[]>`
    select number::float8 as number from index_checkpoints where chain_id = ${TEST_CHAIN_ID}`;
  const marks = async () =>
    Promise.all(
      (await paths()).map(async (path) => [path, Object((await callApi(byIndex, path)).body.asOf).unprovenFrom]),
    );
  const expected = (mark: string | undefined) => paths().then((all) => all.map((path) => [path, mark]));
  await sql`insert into unproven_ranges (chain_id, contract, from_block, to_block) values (${TEST_CHAIN_ID}, ${contract}, 3, 7)`;
  expect(await marks()).toEqual(await expected("3"));
  await sql`update unproven_ranges set from_block = ${number + 1}, to_block = ${number + 5}`;
  expect(await marks()).toEqual(await expected(undefined));
  await sql`delete from unproven_ranges`;
});

test("texts that an earlier release has stored are cleaned by the rules of this one", async () => {
  const { sql } = database.database;
  const hidden = "\u200b\u2028\u{e0041}";
  await sql`update indexed_tokens set symbol = symbol || ${hidden}`;
  await sql`update details_logs set url = url || ${hidden}, description = description || ${hidden}`;
  await sql`update provider_profiles set company = company || ${hidden}`;
  for (const path of await paths()) {
    const { text } = await callApi(byIndex, path);
    expect([path, text.match(/[\p{Cf}\p{Zl}\u{e0000}-\u{e0fff}]/u)]).toEqual([path, null]);
  }
  await sql`update indexed_tokens set symbol = replace(symbol, ${hidden}, '')`;
  await sql`update details_logs set url = replace(url, ${hidden}, ''), description = replace(description, ${hidden}, '')`;
  await sql`update provider_profiles set company = replace(company, ${hidden}, '')`;
});

describe("an index that lags", () => {
  const { sql } = database.database;
  const chainStatus = async () => {
    const { body } = await callApi(byIndex, "/status");
    return { status: body.status, reason: String(Object(Object(body.checks).chains)[0].reason) };
  };
  const unknown = `/subscriptions/0x${"ab".repeat(32)}/history`;

  /** Every answer from the index is stale, an unknown id is not called unknown, and /status is degraded for the reason. */
  async function expectStale(reason: RegExp): Promise<void> {
    for (const path of await paths()) {
      const { body } = await callApi(byIndex, path);
      expect([path, Object(body.asOf).stale]).toEqual([path, true]);
    }
    expect(await callApi(byIndex, unknown)).toMatchObject({
      status: 200,
      body: { events: [], error: expect.stringContaining("not indexed yet"), asOf: { stale: true } },
    });
    expect(await chainStatus()).toEqual({ status: "degraded", reason: expect.stringMatching(reason) });
  }

  afterEach(async () => {
    await sql`update index_checkpoints set head_timestamp = timestamp, confirmed_at = now()`;
    expect((await callApi(byIndex, "/subscriptions")).body.asOf).toMatchObject({ stale: false });
    expect((await chainStatus()).reason).not.toContain("index");
  });

  test("because it stopped at a block, while the head moves on", async () => {
    await sql`update index_checkpoints set head_timestamp = timestamp + 1000, confirmed_at = now()`;
    await expectStale(/the event index is 1000 seconds behind/);
    const { body } = await callApi(byIndex, "/status");
    expect(Object(Object(body.checks).chains)[0].eventIndex).toMatchObject({ behindSeconds: 1000 });
  });

  test("because no worker confirms it", async () => {
    await sql`update index_checkpoints set confirmed_at = now() - interval '1 hour'`;
    await expectStale(/the event index was not confirmed/);
  });

  test("because it was confirmed in the future, by a worker whose clock was ahead", async () => {
    await sql`update index_checkpoints set confirmed_at = now() + interval '400 days'`;
    await expectStale(/the event index was confirmed in the future/);
  });
});

test("without an index /status is degraded, with the reason that no events are indexed, and the four reads of history are empty with an error", async () => {
  const { sql } = database.database;
  const asked = (await paths()).filter((path) => !/^\/subscriptions(\?|$)|\/details$/.test(path));
  await sql`alter table index_checkpoints rename to index_checkpoints_away`;
  await sql`create table index_checkpoints (like index_checkpoints_away including all)`;
  const { body } = await callApi(byIndex, "/status");
  const history = await Promise.all(asked.map((path) => callApi(byIndex, path)));
  await sql`drop table index_checkpoints`;
  await sql`alter table index_checkpoints_away rename to index_checkpoints`;
  for (const { status, body: answer } of history)
    expect([status, answer.error]).toEqual([
      200,
      "The events of this chain are not indexed yet; try again in a few seconds",
    ]);
  expect(body.status).toBe("degraded");
  expect(Object(Object(body.checks).chains)[0].reason).toContain("no events are indexed yet");
});

test("pages stay on the state of the first, and a state that no answer had is rejected", async () => {
  const path = "/subscriptions?first=2";
  const { body } = await callApi(byIndex, path);
  const at = Object(body.asOf).blockNumber;
  expect((await callApi(byIndex, `${path}&skip=2&atBlock=${at}`)).body.asOf).toEqual(body.asOf);
  const refused = await callApi(byIndex, `${path}&atBlock=${Number(at) + 1}`);
  expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(refused.body.issues).toMatchObject([{ code: "UNKNOWN_BLOCK", path: "atBlock" }]);
});

test("search enforces the rules of the lane: first above its maximum, and details on the free lane, are rejected", async () => {
  expect((await callApi(byIndex, "/subscriptions?first=11")).status).toBe(400);
  expect((await callApi(byIndex, "/subscriptions?includeDetails=true")).status).toBe(400);
});
