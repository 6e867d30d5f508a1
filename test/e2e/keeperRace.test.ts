import { afterAll, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { deployProtocol } from "@dueday/devnet/deployProtocol";
import { deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { testAccount } from "@dueday/devnet/testAccount";
import { systemClock } from "@dueday/keeper/clock";
import type { KeeperNode } from "@dueday/keeper/node/keeperNode";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { keepChain } from "@dueday/keeper/run/keepChain";
import type { KeeperChain } from "@dueday/keeper/run/keeperChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const DAYS = 8;
const SUBSCRIBERS = 4;
/** Each day has two pages. */
const TRANSACTIONS = 2 * DAYS;
const BLOCK_MS = 250;
const WINDOW_MS = 1_500;
/** A Sunday. */
const START = Date.UTC(2026, 2, 1, 12) / 1000;
const ACCOUNTS = 12;

/** Every weekday has a weekly subscription of four, settled in two pages: each day of the race has two transactions. */
const everyDay: DevnetScenario = {
  daysBefore: 3,
  accounts: ACCOUNTS,
  async seed(client) {
    const [admin, janitor, , provider, ...others] = await client.request({ method: "eth_accounts" });
    if (!admin || !janitor || !provider) throw new Error("the node has too few accounts");
    const fees = { callerFee: 10200n, systemFee: 10000n, allowSystemFee: false };
    const contract = await deployProtocol(client, { ...fees, maxRemits: 2n, cancelLimit: 5n, admin, janitor });
    const target = { client, contract, admin };
    const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: 18 });
    await approveToken(target, token, 18, parseEther("1"));
    const payers = others.slice(0, SUBSCRIBERS);
    for (const payer of payers) await fund(target, token, payer, parseEther("100000"), parseEther("100000"));
    for (let dueDay = 1; dueDay <= 7; dueDay++) {
      const details = { url: "", description: "" };
      const terms = { amount: parseEther("10"), token, details, frequency: 0, dueDay };
      const id = await createSubscription(target, provider, terms);
      for (const payer of payers) await subscribe(target, payer, id);
    }
    return { contract, tokens: [token], subscriptions: {} };
  },
};

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** As on a chain without a public pool: what waits is not seen before it is mined. */
function withoutPool(node: KeeperNode): KeeperNode {
  return {
    ...node,
    estimateRemit: () => node.estimateRemit("latest"),
    async nonces() {
      const { mined } = await node.nonces();
      return { mined, pending: mined };
    },
  };
}

type RaceOptions = { devnet: Devnet; keepers: number; seesPool: boolean };

/** Keepers of their own accounts, planning on the node, until `stop`. */
async function startKeepers({ devnet, keepers, seesPool }: RaceOptions) {
  const stop = new AbortController();
  const settings = { chainId: null, rpcUrls: [devnet.url], contract: devnet.contract, minProfitWei: null };
  const chains = await Promise.all(
    Array.from({ length: keepers }, async (_, index): Promise<KeeperChain> => {
      const account = privateKeyToAccount(testAccount(ACCOUNTS - 1 - index).privateKey);
      const open = await openChain(
        { ...settings, maxGasPrice: 10n ** 12n, prices: new Map() },
        { api: null },
        account.address,
      );
      return createKeeperChain(
        { ...open, node: seesPool ? open.node : withoutPool(open.node) },
        {
          ...{ account, clock: systemClock(stop.signal), pollMs: 50 },
          settings: { replaceAfterMs: 60_000, notify: { gasDays: 1 } },
          report: { log() {}, raise() {}, resolve() {}, announce() {}, status() {} },
        },
      );
    }),
  );
  const options = { once: false, intervalMs: 300, windowMs: WINDOW_MS, signal: stop.signal };
  const running = chains.map((chain) => keepChain(chain, options));
  return {
    chains,
    async stop() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

type Result = {
  payments: number;
  gasUsed: bigint;
  /** Settled transactions by keeper. */
  settled: Map<Address, number>;
  /** Reverted ones by keeper and day. */
  reverted: Map<string, number>;
  /** Settled ones and races lost, as the keepers count them. */
  reported: { settled: number; lost: number }[];
};

/** Lets days pass, each after the one before is settled. Returns what became of the keepers' transactions. */
async function race(options: RaceOptions): Promise<Result> {
  const { client, contract } = options.devnet;
  const firstBlock = (await client.getBlockNumber()) + 1n;
  const nextDay = () => client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
  const keepers = await startKeepers(options);
  for (let day = 0; day < DAYS; day++) {
    const { timestamp } = await client.getBlock();
    const tomorrow = (dayNumber(timestamp) + 1) * DAY_SECONDS + DAY_SECONDS / 2;
    await client.setNextBlockTimestamp({ timestamp: BigInt(tomorrow) });
    await waitUntil("the day to be settled", async () => (await nextDay()) > dayNumber(tomorrow), 180_000);
  }
  // Whatever is on its way still has to end.
  const settledAt = await client.getBlockNumber();
  await waitUntil("the keepers to rest", async () => (await client.getBlockNumber()) > settledAt + 5n);
  await keepers.stop();
  const result: Result = { payments: 0, gasUsed: 0n, settled: new Map(), reverted: new Map(), reported: [] };
  const last = await client.getBlockNumber();
  for (let number = firstBlock; number <= last; number++) {
    const { transactions, timestamp } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const { status, from, gasUsed } = await client.getTransactionReceipt({ hash });
      result.gasUsed += gasUsed;
      const key = `${from} ${dayNumber(timestamp)}`;
      if (status === "success") result.settled.set(from, (result.settled.get(from) ?? 0) + 1);
      else result.reverted.set(key, (result.reverted.get(key) ?? 0) + 1);
    }
  }
  const logs = await client.getContractEvents({
    ...{ address: contract, abi: protocolAbi, eventName: "SubLog", fromBlock: firstBlock, toBlock: last },
  });
  const codes: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
  result.payments = logs.filter(({ args }) => codes.includes(args.subScriptEvent ?? -1)).length;
  result.reported = keepers.chains.map(({ ledger }) => ledger.totals());
  return result;
}

/** A chain whose blocks come in an interval, with and without transactions. */
async function startChain(): Promise<Devnet> {
  const devnet = await startDevnet({ scenario: everyDay, now: START });
  cleanUps.push(() => devnet.stop());
  expect(calendarDay(dayNumber(START)).weekDay).toBe(7);
  const settle = await startKeepers({ devnet, keepers: 1, seesPool: true });
  const { client, contract } = devnet;
  const open = () => client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
  await waitUntil("the days before the race to be settled", async () => (await open()) > dayNumber(START));
  await settle.stop();
  await client.setAutomine(false);
  const mining = setInterval(() => void client.mine({ blocks: 1 }).catch(() => {}), BLOCK_MS);
  cleanUps.push(async () => clearInterval(mining));
  return devnet;
}

test("three keepers settle each a share, revert at most once for each keeper and day, and cost at most a tenth more than one alone", async () => {
  const devnet = await startChain();
  const alone = await race({ devnet, keepers: 1, seesPool: true });
  expect([...alone.settled.values()]).toEqual([TRANSACTIONS]);
  expect([...alone.reverted]).toEqual([]);
  for (const seesPool of [true, false]) {
    const { payments, gasUsed, settled, reverted, reported } = await race({ devnet, keepers: 3, seesPool });
    const share = [...settled.values()].join(" + ");
    const more = Number(((gasUsed - alone.gasUsed) * 1_000n) / alone.gasUsed) / 10;
    const reverts = [...reverted.values()].reduce((sum, count) => sum + count, 0);
    console.log(
      `${seesPool ? "with" : "without"} sight of the pool: ${share} transactions, ${reverts} reverted, ${more} % more gas`,
    );
    expect(payments).toBe(DAYS * SUBSCRIBERS);
    expect(settled.size).toBe(3);
    expect(Math.max(0, ...reverted.values())).toBeLessThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(10);
    expect(reported.reduce((sum, totals) => sum + totals.settled, 0)).toBe(TRANSACTIONS);
    expect(reported.reduce((sum, totals) => sum + totals.lost, 0)).toBeGreaterThan(0);
  }
}, 600_000);
