import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { openPortalBrowser } from "@dueday/api/test/portalBrowser";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { permits } from "@dueday/db/schema/permits";
import { fickleWalletAbi } from "@dueday/devnet/deploySmartWallet";
import { renewals } from "@dueday/devnet/scenarios/renewals";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { KeeperSettings } from "@dueday/keeper/config/parseSettings";
import type { PermitDesk } from "@dueday/keeper/permits/permitDesk";
import type { ProposedPermit } from "@dueday/keeper/permits/permitSource";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { dryRun } from "@dueday/keeper/run/dryRun";
import { keepChain } from "@dueday/keeper/run/keepChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Places of the scenario's subscribers; the last is the owner of a wallet that is a contract. */
const [FIRST, SECOND, WALLET_OWNER] = [0, 1, 3] as const;
const NOW = Date.UTC(2026, 2, 20, 12) / 1000;

const devnet = await startDevnet({ scenario: renewals({ subscribers: 3, withFickleWallet: true }), now: NOW });
const { client, contract, url, keeper } = devnet;
const withoutSimulation = startNodeProxy(url, { without: { methods: ["eth_simulateV1"], refusal: "-32601" } });
const testDatabase = await createTestDatabase();
const api = await startTestApi({
  database: testDatabase,
  rpcUrl: url,
  contract,
  clock: () => NOW * 1000,
  env: { ADMIN_SECRET: "an admin secret for tests" },
});
afterAll(async () => {
  await api.stop();
  await withoutSimulation.stop();
  await devnet.stop();
});
const [token = contract] = devnet.tokens;
const { weekly: id = "0x" } = devnet.subscriptions;
const keyOf = (place: number) => privateKeyToAccount(testAccount(ACCOUNT_INDEX.firstSubscriber + place).privateKey);
const someone = testAccount(ACCOUNT_INDEX.firstProvider + 1).address;
const keeperAccount = privateKeyToAccount(keeper.privateKey);

const developer = openPortalBrowser(api, api.url);
await developer.signIn(keyOf(FIRST));
const { body: created } = await developer.send("/portal/keys", { method: "POST", body: {} });
const apiKey = String(created.key);

let snapshot: Hex;
beforeEach(async () => {
  snapshot = await client.snapshot();
});
afterEach(async () => {
  await client.revert({ id: snapshot });
  await testDatabase.database.run("forget the permits of a test", (db) => db.delete(permits));
});

async function walletAddress(): Promise<Address> {
  const rows = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getSubscribersById",
    args: [id],
  } as const);
  const keys = [0, 1, 2].map((place) => keyOf(place).address);
  const wallet = rows.find(({ subscriber }) => !keys.includes(subscriber));
  if (wallet === undefined) throw new Error("the scenario has a wallet that is a contract");
  return wallet.subscriber;
}

/** Signs a permit and has it kept: by a signature alone, from an account without ether. */
async function keep(place: number, owner: Address = keyOf(place).address) {
  await client.setBalance({ address: keyOf(place).address, value: 0n });
  const post = (path: string, body: unknown) => callApi(api, path, { method: "POST", body });
  const { body: prepared } = await post("/prepare/permit", { from: owner, token, approvalPeriods: 4 });
  const { domain, types, primaryType, message } = Object(prepared.typedData);
  const signature = await keyOf(place).signTypedData({ domain, types, primaryType, message });
  const signed = { from: owner, token, value: prepared.valueRaw, deadline: prepared.deadline, signature };
  expect((await post("/permits", signed)).status).toBe(201);
}

const changeMind = (wallet: Address) => {
  const data = encodeFunctionData({ abi: fickleWalletAbi, functionName: "changeMind", args: [true] });
  return send(client, { from: someone, to: wallet, data });
};

type Options = {
  /** Default: the devnet's own. */
  nodeUrl?: string;
  /** Wei for one whole token. */
  price?: bigint;
  minProfitWei?: bigint | null;
  /** Replaces what API and node know about permits. */
  desk?: (desk: PermitDesk) => PermitDesk;
  key?: string | null;
};

const chainSettings = ({
  nodeUrl = url,
  price = parseEther("0.01"),
  minProfitWei = null,
}: Options): KeeperSettings["chains"][0] => ({
  chainId: 31_337,
  rpcUrls: [nodeUrl],
  contract,
  prices: new Map([[token, { kind: "fixed", wei: price }]]),
  minProfitWei,
  maxGasPrice: 50_000_000_000n,
  maxLossWei: null,
});

/** Runs a keeper until the backlog is settled, or nothing more is worth it. */
async function settle(options: Options = {}) {
  const { desk = (given) => given, key = apiKey } = options;
  const block = await client.getBlockNumber();
  const settings = { api: { url: api.url, apiKey: key }, replaceAfterMs: 30_000 };
  const open = await openChain(chainSettings(options), settings, keeper.address);
  let elapsed = 0;
  const chain = createKeeperChain(
    { ...open, permits: open.permits === null ? null : desk(open.permits) },
    {
      account: keeperAccount,
      clock: {
        elapsed: () => elapsed,
        wall: () => NOW * 1000 + elapsed,
        random: () => 0,
        async sleep(milliseconds) {
          elapsed += Math.max(1, milliseconds);
        },
      },
      settings: { replaceAfterMs: 30_000, notify: { gasDays: 1 } },
      report: { log() {}, raise() {}, resolve() {}, announce() {}, status() {} },
    },
  );
  const { signal } = new AbortController();
  await keepChain(chain, { once: true, intervalMs: 60_000, windowMs: 0, signal });
  return { totals: chain.ledger.totals(), ...(await readWork(block)) };
}

async function showDryRun(options: Options = {}): Promise<string> {
  const texts: string[] = [];
  const settings: KeeperSettings = {
    api: { url: api.url, apiKey },
    key: null,
    chains: [chainSettings(options)],
    intervalMs: 60_000,
    windowMs: 0,
    replaceAfterMs: 30_000,
    dryRun: true,
    once: true,
    log: null,
    metrics: { port: null, host: "127.0.0.1" },
    notify: { urls: [], gasDays: 1 },
  };
  await dryRun({ settings, account: keeperAccount, secrets: [] }, (text) => void texts.push(text));
  return texts.join("\n");
}

/** What the keeper has sent after a block, in order, and whose payments were made and failed. */
async function readWork(afterBlock: bigint) {
  const sent: { to: "permit" | "remit"; success: boolean }[] = [];
  const last = await client.getBlockNumber();
  for (let number = afterBlock + 1n; number <= last; number++) {
    const { transactions } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const { from, to, status } = await client.getTransactionReceipt({ hash });
      if (to === null || !isAddressEqual(from, keeper.address)) continue;
      sent.push({ to: isAddressEqual(to, token) ? "permit" : "remit", success: status === "success" });
    }
  }
  const logs = await client.getContractEvents({
    address: contract,
    abi: protocolAbi,
    eventName: "SubLog",
    fromBlock: afterBlock + 1n,
  });
  const subscribersOf = (...codes: number[]) =>
    logs.flatMap(({ args }) => (codes.includes(args.subScriptEvent ?? -1) ? [args.subscriber] : []));
  return {
    calls: sent.map(({ to }) => to),
    reverted: sent.filter(({ success }) => !success).length,
    paid: subscribersOf(subLogCode.SubscriberPaid, subLogCode.FeeFill),
    failed: subscribersOf(subLogCode.Failed),
  };
}

const noPermit = { calls: ["remit"], reverted: 0, paid: [] };

describe("a keeper with an API key", () => {
  test("submits the permits of subscribers without ether before its remit, because the saved fees pay for them; what would have failed is paid", async () => {
    await keep(FIRST);
    await keep(SECOND);
    const before = await client.getBalance({ address: keeper.address });
    const { calls, paid, failed, reverted, totals } = await settle({ minProfitWei: 0n });
    expect({ calls, reverted }).toEqual({ calls: ["permit", "permit", "remit"], reverted: 0 });
    expect(new Set(paid)).toEqual(new Set([keyOf(FIRST).address, keyOf(SECOND).address]));
    expect(failed).toHaveLength(2);
    expect(totals).toMatchObject({ permits: 2, settled: 1, payments: 4, failures: 2, lossWei: 0n });
    const spent = before - (await client.getBalance({ address: keeper.address }));
    expect(totals.costWei).toBe(spent);
    const earned = [...totals.fees.values()].reduce((sum, units) => sum + units, 0n);
    // 0.2 of a token for each payment, at 0.01 ether for a whole one.
    expect(earned).toBe(400_000n);
    expect((earned * parseEther("0.01")) / 1_000_000n).toBeGreaterThan(spent);
  });

  test("shows them in a dry run, and signs nothing", async () => {
    await keep(FIRST);
    const nonce = await client.getTransactionCount({ address: keeper.address });
    const shown = await showDryRun();
    expect(shown).toMatch(/send +[0-9a-f-]{36} +1 +\d+ +0\.2 USDC/);
    expect(shown).toContain("1 of 1 are submitted first");
    expect(await client.getTransactionCount({ address: keeper.address })).toBe(nonce);
  });

  test("says in a dry run on a node that can't simulate that they are not judged, and sends none", async () => {
    await keep(FIRST);
    const shown = await showDryRun({ nodeUrl: withoutSimulation.url });
    expect(shown).toContain("not judged: that needs an API key, a node that can simulate");
    expect(shown).not.toContain("are submitted first");
    expect(await settle({ nodeUrl: withoutSimulation.url })).toMatchObject(noPermit);
  });

  test("says in a dry run that none pays for its gas", async () => {
    await keep(FIRST);
    expect(await showDryRun({ price: parseEther("0.000001") })).toContain("0 of 1 are submitted first");
  });

  test("sends none whose fee is less than its gas", async () => {
    await keep(FIRST);
    expect(await settle({ price: parseEther("0.000001") })).toMatchObject(noPermit);
  });

  test("without a key knows of none", async () => {
    await keep(FIRST);
    expect(await settle({ key: null })).toMatchObject(noPermit);
  });

  test("sends none that somebody else submits first: its payment is made all the same", async () => {
    await keep(FIRST);
    const work = await settle({
      desk: (desk) => ({
        ...desk,
        node: {
          ...desk.node,
          async isOpen(call) {
            await send(client, { from: someone, to: call.to, data: call.data });
            return desk.node.isOpen(call);
          },
        },
      }),
    });
    expect(work).toMatchObject({ calls: ["remit"], reverted: 0, paid: [keyOf(FIRST).address] });
  });

  test.each([
    ["before it is looked at", "read"],
    ["right before it is signed", "isOpen"],
  ] as const)("sends none of a wallet that changes its mind %s", async (_, moment) => {
    const wallet = await walletAddress();
    await keep(WALLET_OWNER, wallet);
    const work = await settle({
      desk: (desk) => ({
        ...desk,
        async read(asked) {
          const permits = await desk.read(asked);
          if (moment === "read") await changeMind(wallet);
          return permits;
        },
        node: {
          ...desk.node,
          async isOpen(call) {
            const isOpen = await desk.node.isOpen(call);
            if (moment === "isOpen") await changeMind(wallet);
            return isOpen;
          },
        },
      }),
    });
    expect(work).toMatchObject(noPermit);
  });

  test("submits that of a wallet that is a contract as long as it honours it", async () => {
    const wallet = await walletAddress();
    await keep(WALLET_OWNER, wallet);
    expect(await settle()).toMatchObject({ calls: ["permit", "remit"], reverted: 0, paid: [wallet] });
  });

  test.each<[string, (permit: ProposedPermit) => Partial<ProposedPermit>]>([
    ["another owner", () => ({ owner: keyOf(SECOND).address })],
    ["another value", ({ value }) => ({ value: value + 1n })],
    ["another deadline", ({ deadline }) => ({ deadline: deadline + 1n })],
    ["another token", () => ({ token: contract })],
    ["a signature of nobody", () => ({ signature: `0x${"11".repeat(65)}` })],
    ["a signature that is too short", () => ({ signature: "0x01" })],
  ])("sends none that an API proposes with %s", async (_, wrong) => {
    await keep(FIRST);
    const work = await settle({
      desk: (desk) => ({
        ...desk,
        read: async (asked) => (await desk.read(asked)).map((permit) => ({ ...permit, ...wrong(permit) })),
      }),
    });
    expect(work).toMatchObject(noPermit);
  });
});
