import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { deployPeculiarToken } from "@dueday/devnet/deployToken";
import { approve, createSubscription } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { type NodeProxy, startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, getAddress, type Hex, parseEther, zeroAddress } from "viem";

const NOW_SECONDS = 1_790_000_000;
const TODAY = dayNumber(NOW_SECONDS);
const UNKNOWN_ID = `0x${"ab".repeat(32)}`;

const database = await createTestDatabase();
let devnet: Devnet;
let rpc: NodeProxy;
let api: TestApi;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
  rpc = startNodeProxy(devnet.url);
  api = await startTestApi({
    database,
    rpcUrl: rpc.url,
    contract: devnet.contract,
    env: { CHAIN_31337_TOKENS: devnet.tokens.join(",") },
  });
  await waitUntil("the chain is seen", async () => (await callApi(api, "/protocol/state")).status === 200);
});
afterAll(async () => {
  await api.stop();
  await rpc.stop();
  await devnet.stop();
});

function idOf(key: string): Hex {
  const id = devnet.subscriptions[key];
  if (id === undefined) throw new Error(`the demo has no ${key}`);
  return id;
}

function tokenOf(index: number): Address {
  const token = devnet.tokens[index];
  if (token === undefined) throw new Error(`the demo has no token ${index}`);
  return token;
}

const provider = (index: number) => testAccount(ACCOUNT_INDEX.firstProvider + index).address;
const subscriber = (index: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + index).address;

async function read(path: string): Promise<Record<string, unknown>> {
  const { status, body } = await callApi(api, path);
  expect([path, status]).toEqual([path, 200]);
  expect(body.chainId).toBe(31337);
  expect(body.asOf).toMatchObject({ blockNumber: expect.stringMatching(/^\d+$/), stale: false });
  return body;
}

function rowsOf(list: unknown): Record<string, unknown>[] {
  if (!Array.isArray(list)) throw new Error("not a list");
  return list;
}

test("a provider's subscribers at risk, over one whole period, are those of its subscribers' lists, and health has the same failures", async () => {
  const snapshot = await devnet.client.snapshot();
  const ids = Object.values(devnet.subscriptions);
  const records = await Promise.all(ids.map((id) => read(`/subscriptions/${id}`)));
  const providers = new Set(records.map(({ subscription }) => Object(subscription).provider));
  const listsOf = () => Promise.all(ids.map((id) => read(`/subscriptions/${id}/subscribers?first=200`)));
  const atRiskOfAll = async () => {
    const answers = await Promise.all([...providers].map((address) => read(`/providers/${address}/at-risk?first=200`)));
    return answers.flatMap(({ atRisk }) => rowsOf(atRisk));
  };

  // A plan whose next charge is further ahead than the week that payment.will_fail looks at.
  const payers = new Set(
    (await listsOf()).flatMap(({ subscribers }) => rowsOf(subscribers).map((row) => row.subscriber)),
  );
  const healths = await Promise.all([...payers].map((account) => read(`/accounts/${account}/health`)));
  const [late] = healths.flatMap(({ account, plans }) =>
    rowsOf(plans)
      .filter(({ nextDueDate }) => String(nextDueDate) > String(dayToDate(TODAY + 8)))
      .map((plan) => ({ account, plan })),
  );
  if (late === undefined) throw new Error("the demo has no subscriber who pays later than in a week");
  const { plan } = late;
  const target = { client: devnet.client, contract: devnet.contract, admin: testAccount(ACCOUNT_INDEX.admin).address };
  await approve(target, getAddress(String(plan.token)), getAddress(String(late.account)), 0n);
  await waitUntil("the late failure is listed", async () =>
    (await atRiskOfAll()).some(({ id, subscriber: account }) => id === plan.id && account === late.account),
  );

  const figures = ({ subscriber: account, failsOn, cause, coveredPayments }: Record<string, unknown>) => ({
    account,
    failsOn,
    cause,
    coveredPayments,
  });
  const atRisk = await atRiskOfAll();
  const listed = (await listsOf()).flatMap(({ subscribers }, index) =>
    rowsOf(subscribers)
      .filter((row) => row.atRisk)
      .map((row) => ({ id: String(ids[index]), ...figures(row) })),
  );
  expect(atRisk.map((row) => ({ id: row.id, ...figures(row) }))).toEqual(expect.arrayContaining(listed));
  expect(atRisk).toHaveLength(listed.length);
  expect(listed).toContainEqual({
    id: String(plan.id),
    account: late.account,
    failsOn: plan.nextDueDate,
    cause: "allowance",
    coveredPayments: 0,
  });
  for (const { id, subscriber: account, failsOn, cause, coveredPayments } of atRisk) {
    const { plans } = await read(`/accounts/${account}/health`);
    expect(rowsOf(plans).find((each) => each.id === id)).toMatchObject({ failsOn, cause, coveredPayments });
  }
  await devnet.client.revert({ id: snapshot });
});

test("those at risk come in pages, the next failure first; an account that created nothing has none", async () => {
  const addresses = await Promise.all(
    Object.values(devnet.subscriptions).map(
      async (id) => Object((await read(`/subscriptions/${id}`)).subscription).provider,
    ),
  );
  const answers = await Promise.all([...new Set(addresses)].map((address) => read(`/providers/${address}/at-risk`)));
  const longest = answers.toSorted((a, b) => Number(b.count) - Number(a.count))[0];
  if (longest === undefined) throw new Error("the demo has no provider");
  const count = Number(longest.count);
  expect(count).toBeGreaterThan(1);
  expect(rowsOf(longest.horizons).map(({ horizonDays }) => horizonDays)).toEqual([7, 31, 92, 366]);
  const all = rowsOf(longest.atRisk);
  const dates = all.map(({ failsOn }) => String(failsOn));
  expect(dates).toEqual(dates.toSorted());
  const path = `/providers/${longest.provider}/at-risk?first=1`;
  expect(await read(path)).toMatchObject({ count, hasMore: true, nextSkip: 1, atRisk: [all[0]] });
  expect(await read(`${path}&skip=1`)).toMatchObject({ count, atRisk: [all[1]] });
  expect(await read(`/providers/0x${"11".repeat(20)}/at-risk`)).toMatchObject({ atRisk: [], count: 0, hasMore: false });
});

describe("a subscription", () => {
  test("has its amount in whole tokens and token units, for an id in either case", async () => {
    const id = idOf("season-box");
    const { subscription } = await read(`/subscriptions/0x${id.slice(2).toUpperCase()}`);
    expect(subscription).toEqual({
      id,
      provider: provider(2),
      token: tokenOf(0),
      tokenSymbol: "HUSD",
      amount: "90",
      amountRaw: "90000000",
      tokenDecimals: 6,
      frequency: 2,
      frequencyLabel: "QUARTERLY",
      dueDay: expect.any(Number),
      cancelled: false,
    });
  });

  test.each(["", "/subscribers", `/fee-balance?address=${zeroAddress}`])("%p of an unknown id is 404", async (rest) => {
    const { status, body } = await callApi(api, `/subscriptions/${UNKNOWN_ID}${rest}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: "NOT_FOUND", issues: [{ code: "UNKNOWN_ID", path: "id" }] });
  });

  test("is found as soon as its block is mined, although reads are pinned to an earlier head", async () => {
    const target = {
      client: devnet.client,
      contract: devnet.contract,
      admin: testAccount(ACCOUNT_INDEX.admin).address,
    };
    const snapshot = await devnet.client.snapshot();
    const id = await createSubscription(target, provider(0), {
      amount: parseEther("1"),
      token: tokenOf(0),
      frequency: 0,
      dueDay: 1,
      details: { url: "", description: "" },
    });
    expect((await read(`/subscriptions/${id}`)).subscription).toMatchObject({ id, amount: "1" });
    await devnet.client.revert({ id: snapshot });
  });
});

describe("subscribers", () => {
  test("are those that a remit would charge, with whether and why each will fail", async () => {
    const rows = async (key: string) => Object((await read(`/subscriptions/${idOf(key)}/subscribers`)).subscribers);
    const failing = async (key: string) =>
      (await rows(key))
        .filter(
          (row: { allowanceCovers: boolean; balanceCovers: boolean }) => !(row.allowanceCovers && row.balanceCovers),
        )
        .map((row: Record<string, unknown>) => [
          row.subscriber,
          row.allowanceCovers,
          row.balanceCovers,
          row.coveredPayments,
        ]);
    expect(await rows("studio-week")).toHaveLength(12);
    expect(await failing("studio-week")).toEqual([
      [subscriber(27), false, true, 0],
      [subscriber(28), false, true, 0],
    ]);
    expect(await failing("small-box")).toEqual([[subscriber(33), true, false, 0]]);
    expect(await failing("reader")).toEqual([[subscriber(16), true, false, 0]]);
  });

  test("have as many covered payments as allowance and balance pay for, there and among the account's own", async () => {
    const own = Object((await read(`/accounts/${subscriber(28)}`)).subscribedTo).find(
      (row: { subscription: { id: string } }) => row.subscription.id === idOf("studio-week"),
    );
    expect(own).toMatchObject({ allowanceCovers: false, balanceCovers: true, coveredPayments: 0 });
    const rows = Object((await read(`/subscriptions/${idOf("studio-week")}/subscribers`)).subscribers);
    // Funded for a hundred payments, of which two are made: the initial one and that of the settled week.
    const covered = rows.map((row: { coveredPayments: number }) => row.coveredPayments);
    expect(covered.filter((each: number) => each > 0).every((each: number) => each >= 98 && each < 100)).toBe(true);
    expect(covered.filter((each: number) => each === 0)).toHaveLength(2);
  });

  test("are paged without gaps, with the complete count on each page", async () => {
    const path = `/subscriptions/${idOf("daily-letter")}/subscribers`;
    const whole = await read(path);
    expect(whole).toMatchObject({ count: 18, hasMore: false });
    expect(whole).not.toHaveProperty("nextSkip");
    const pages: unknown[] = [];
    for (let skip: unknown = 0; skip !== undefined; ) {
      const page = await read(`${path}?first=7&skip=${skip}`);
      expect(page.count).toBe(18);
      pages.push(...Object(page.subscribers));
      skip = page.nextSkip;
      expect(page.hasMore).toBe(skip !== undefined);
    }
    expect(pages).toEqual(Object(whole.subscribers));
    expect(await read(`${path}?skip=18`)).toMatchObject({ subscribers: [], count: 18, hasMore: false });
  });

  test("have the fee balance that is read for one address; a stranger's is 0", async () => {
    const path = `/subscriptions/${idOf("small-box")}`;
    const [row] = Object((await read(`${path}/subscribers?first=1`)).subscribers);
    const single = await read(`${path}/fee-balance?address=${row.subscriber}`);
    expect(BigInt(row.feeBalanceRaw)).toBeGreaterThan(0n);
    expect(single).toMatchObject({ address: row.subscriber, feeBalance: row.feeBalance, tokenDecimals: 8 });
    expect(await read(`${path}/fee-balance?address=${zeroAddress}`)).toMatchObject({
      feeBalance: "0",
      feeBalanceRaw: "0",
    });
  });
});

describe("accounts", () => {
  test("list what was created and what was subscribed to, each with the account's own status", async () => {
    const created = await read(`/accounts/${provider(1)}/subscriptions`);
    expect(created).toMatchObject({ account: provider(1), bySubscriber: false, count: 4 });
    const facts = Object(created.subscriptions).map((row: Record<string, unknown>) => [
      Object(row.subscription).id,
      row.statusLabel,
      row.totalSubscribers,
    ]);
    const plans = demoPlans.filter((plan) => plan.provider === 1);
    expect(facts).toEqual(
      plans.map(({ key, subscribers: [, count] }) => [
        idOf(key),
        key === "retired-tier" ? "CANCELLED" : "ACTIVE",
        count,
      ]),
    );
    const joined = await read(`/accounts/${subscriber(41).toLowerCase()}/subscriptions?bySubscriber=true`);
    const rows = Object(joined.subscriptions);
    const retired = rows.find((row: Record<string, unknown>) => Object(row.subscription).id === idOf("retired-tier"));
    expect(retired).toMatchObject({ status: 0, statusLabel: "ACTIVE", subscription: { cancelled: true } });
  });

  test("have the fee balances, and the next day on which remit() charges for each subscription, a late one included", async () => {
    const account = await read(`/accounts/${subscriber(0)}`);
    const rows = Object(account.subscribedTo);
    expect(account).toMatchObject({ account: subscriber(0), created: [], subscribedToCount: 3, createdCount: 0 });
    const due = Object.fromEntries(
      rows.map((row: Record<string, unknown>) => [Object(row.subscription).id, row.nextDueDate]),
    );
    expect(due).toEqual({
      [idOf("daily-letter")]: dayToDate(TODAY - 3),
      [idOf("nano")]: dayToDate(TODAY),
      [idOf("rack-year")]: dayToDate(TODAY - 1),
    });
    for (const { subscription, ...row } of rows) {
      const single = await read(`/subscriptions/${subscription.id}/fee-balance?address=${subscriber(0)}`);
      expect(row).toMatchObject({ feeBalance: single.feeBalance, feeBalanceRaw: single.feeBalanceRaw });
    }
    const [retired] = Object((await read(`/accounts/${provider(1)}`)).created).filter(
      (row: Record<string, unknown>) => row.statusLabel === "CANCELLED",
    );
    expect(retired.nextDueDate).toBeNull();
  });

  test("are due after today once today is closed", async () => {
    const snapshot = await devnet.client.snapshot();
    const open = async () => Object((await callApi(api, "/remit/readiness")).body).ready === true;
    while (await open()) {
      await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data: encodeRemit() });
    }
    await waitUntil("the closed day is read", async () => {
      const [row] = Object((await read(`/accounts/${provider(1)}`)).created);
      return row.subscription.id === idOf("nano") && row.nextDueDate === dayToDate(TODAY + 7);
    });
    await devnet.client.revert({ id: snapshot });
  });

  test("page both lists at once, with both counts complete", async () => {
    const page = await read(`/accounts/${provider(2)}?first=1&skip=1`);
    expect(page).toMatchObject({ createdCount: 4, subscribedToCount: 0, count: 4, hasMore: true, nextSkip: 2 });
    const whole = await read(`/accounts/${provider(2)}`);
    expect(page.created).toEqual(Object(whole.created).slice(1, 2));
    expect(page.subscribedTo).toEqual([]);
  });

  test("that never used the protocol are empty", async () => {
    const account = `0x${"77".repeat(20)}`;
    expect(await read(`/accounts/${account}`)).toMatchObject({
      subscribedTo: [],
      created: [],
      count: 0,
      hasMore: false,
    });
    expect(await read(`/accounts/${account}/subscriptions`)).toMatchObject({ subscriptions: [], count: 0 });
  });
});

describe("tokens", () => {
  test("are listed as the protocol has them", async () => {
    const { tokens } = await read("/approved-tokens");
    const client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
    const block = await pinBlock(client);
    expect({ tokens }).toEqual(
      await readApprovedTokens(client, { contract: devnet.contract, tokens: devnet.tokens, block }),
    );
    expect(Object(tokens).map((token: { symbol: string; paused: boolean }) => [token.symbol, token.paused])).toEqual([
      ["HUSD", false],
      ["MRD", false],
      ["OAK", false],
      ["LGC", true],
    ]);
    for (const token of Object(tokens)) {
      expect((await read(`/approved-tokens/${token.address.toLowerCase()}`)).token).toEqual(token);
    }
  });

  test("that the protocol does not know are not approved, whatever their contract answers", async () => {
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    const hostile = await deployPeculiarToken(devnet.client, admin, {
      file: "OddTokens",
      contract: "HostileSymbolToken",
    });
    const known = await read(`/approved-tokens/${hostile}`);
    expect(known.token).toMatchObject({ address: hostile, approved: false, minimum: "0" });
    expect(Object(known.token).symbol).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    const nobody = await read(`/approved-tokens/0x${"77".repeat(20)}`);
    expect(nobody.token).toMatchObject({ symbol: "0x7777…7777", name: "", decimals: 0, approved: false });
  });
});

describe("lists that are too long for the node to read", () => {
  let before: Hex;
  let gasLimit: bigint;

  beforeAll(async () => {
    const client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
    await indexTestChain({ database: database.database, client, contract: devnet.contract });
    before = await devnet.client.snapshot();
    const latest = await devnet.client.getBlock();
    gasLimit = latest.gasLimit;
    // Only at the latest block the node applies the new limit, and reads are pinned to a head seen before.
    const isSeen = async () => Object((await read(`/approved-tokens/${tokenOf(1)}`)).asOf).blockHash === latest.hash;
    await waitUntil("the latest block is seen", isSeen);
    // Room for a few slots: to such a node every list is too long.
    await devnet.client.setBlockGasLimit({ gasLimit: 60_000n });
  });
  afterAll(async () => {
    await devnet.client.setBlockGasLimit({ gasLimit });
    await devnet.client.revert({ id: before });
  });

  test("subscribers come from the events, complete, as of the block that is indexed", async () => {
    const answer = await read(`/subscriptions/${idOf("daily-letter")}/subscribers?first=200`);
    expect(answer).toMatchObject({ count: 18, hasMore: false, asOf: { source: "snapshot", stale: false } });
    const addresses = Object(answer.subscribers).map((row: Record<string, unknown>) => row.subscriber);
    expect(new Set(addresses)).toEqual(new Set(Array.from({ length: 18 }, (_, index) => subscriber(index))));
    for (const { feeBalanceRaw } of Object(answer.subscribers)) expect(BigInt(feeBalanceRaw)).toBeGreaterThan(0n);
  });

  test("and are stale while the index is further behind the head than the stale limit", async () => {
    const { sql } = database.database;
    const path = `/subscriptions/${idOf("daily-letter")}/subscribers?first=1`;
    for (const [behind, stale] of [
      [61, true],
      [60, false],
    ] as const) {
      await sql`update index_checkpoints set head_timestamp = timestamp + ${behind}`;
      expect((await callApi(api, path)).body.asOf).toMatchObject({ stale });
    }
  });

  test("and in pages", async () => {
    const path = `/subscriptions/${idOf("daily-letter")}/subscribers`;
    const whole = Object((await read(path)).subscribers);
    const page = await read(`${path}?first=5&skip=10`);
    expect(page).toMatchObject({ subscribers: whole.slice(10, 15), count: 18, hasMore: true, nextSkip: 15 });
  });

  test.each(["", "/subscriptions"])(
    "accounts are an error that names other reads: /accounts/:address%s",
    async (rest) => {
      const { status, body } = await callApi(api, `/accounts/${provider(0)}${rest}`);
      expect([status, body.code]).toEqual([502, "UPSTREAM_ERROR"]);
      expect(body.error).toContain("Search subscriptions by provider");
    },
  );
});

describe("round trips", () => {
  /** Methods of the monitor: the head, and the chain id. */
  const monitorMethods = ["eth_getBlockByNumber", "eth_chainId"];

  /** HTTP exchanges of a read, without those of the monitor. */
  async function exchangesOf(path: string): Promise<string[][]> {
    await read(path);
    rpc.exchanges.length = 0;
    await read(path);
    return rpc.exchanges.filter((methods) => methods.some((method) => !monitorMethods.includes(method)));
  }

  test.each([
    ["a subscription", 1, () => `/subscriptions/${idOf("nano")}`],
    ["a fee balance", 1, () => `/subscriptions/${idOf("nano")}/fee-balance?address=${subscriber(0)}`],
    ["a token", 1, () => `/approved-tokens/${tokenOf(1)}`],
    ["the rows of an account", 1, () => `/accounts/${provider(0)}/subscriptions`],
    ["an account that subscribed to nothing", 1, () => `/accounts/${provider(0)}`],
    ["an account with fee balances", 2, () => `/accounts/${subscriber(0)}`],
    [
      "subscribers with their cover, where it is estimated",
      3,
      () => `/subscriptions/${idOf("daily-letter")}/subscribers`,
    ],
  ])("%s: at most %d, for any number of rows", async (_name, most, path) => {
    const exchanges = await exchangesOf(path());
    expect(exchanges.length).toBeGreaterThan(0);
    expect(exchanges.length).toBeLessThanOrEqual(most);
  });
});
