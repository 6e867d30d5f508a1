import { afterAll, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { testAccount } from "@dueday/devnet/testAccount";
import type { KeeperNode } from "@dueday/keeper/node/keeperNode";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { keepChain } from "@dueday/keeper/run/keepChain";
import type { KeeperChain } from "@dueday/keeper/run/keeperChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { createVirtualClock } from "@dueday/keeper/test/createVirtualClock";
import type { Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const DAYS = 8;
const SUBSCRIBERS = 4;
const KEEPERS = 3;
/** Each day has two pages. */
const TRANSACTIONS = 2 * DAYS;
const BLOCK_SECONDS = 1;
const INTERVAL_MS = 5_000;
const WINDOW_MS = 6_000;
/** Longer than it takes until a day is settled and every keeper has seen that: a loser looks again after four windows at the latest. */
const DAY_OF_RACE_MS = 40_000;
/** A Sunday. */
const START = Date.UTC(2026, 2, 1, 12) / 1000;

/** Each day of the race has four payments, in two transactions. */
const everyDay = weeklyBook({
  dueDays: [1, 2, 3, 4, 5, 6, 7],
  subscribers: SUBSCRIBERS,
  maxRemits: 2n,
  daysBefore: 3,
  spareAccounts: KEEPERS,
  isSettled: false,
});

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** As on a chain without a public pool: what waits is not seen before it is mined. */
function withoutPool(node: KeeperNode): KeeperNode {
  return {
    ...node,
    estimateRemit: (_, fees) => node.estimateRemit("latest", fees),
    async nonces() {
      const { mined } = await node.nonces();
      return { mined, pending: mined };
    },
  };
}

/** The same numbers from 0 to 1 for the same seed, evenly spread: who is first on which day does not depend on the machine. */
function seededRandom(seed: number): () => number {
  let drawn = 0;
  // The high half of a hash is even; a double holds it exactly.
  return () => Number(Bun.hash.wyhash(`keeper ${seed}, draw ${drawn++}`) >> 32n) / 2 ** 32;
}

type RaceOptions = { devnet: Devnet; keepers: number; seesPool: boolean };

/** Keepers with separate accounts, planning on the node, in a time that waits for all of them. */
async function startKeepers({ devnet, keepers, seesPool }: RaceOptions) {
  const stop = new AbortController();
  const { clock, passUntil } = createVirtualClock({ startsAt: START * 1000, sleepers: keepers, signal: stop.signal });
  const settings = {
    chainId: null,
    rpcUrls: [devnet.url],
    contract: devnet.contract,
    minProfitWei: null,
    maxLossWei: null,
  };
  const chains = await Promise.all(
    Array.from({ length: keepers }, async (_, index): Promise<KeeperChain> => {
      const account = privateKeyToAccount(testAccount(everyDay.accounts - 1 - index).privateKey);
      const open = await openChain(
        { ...settings, maxGasPrice: 10n ** 12n, prices: new Map() },
        { api: null, replaceAfterMs: 30_000 },
        account.address,
      );
      return createKeeperChain(
        { ...open, node: seesPool ? open.node : withoutPool(open.node) },
        {
          account,
          clock: { ...clock, random: seededRandom(index) },
          settings: { replaceAfterMs: 60_000, notify: { gasDays: 1 } },
          report: { log() {}, raise() {}, resolve() {}, announce() {}, status() {} },
        },
      );
    }),
  );
  const options = { once: false, intervalMs: INTERVAL_MS, windowMs: WINDOW_MS, signal: stop.signal };
  const running = Promise.all(chains.map((chain) => keepChain(chain, options)));
  const mine = { everyMs: BLOCK_SECONDS * 1000, run: () => devnet.client.mine({ blocks: 1 }) };
  return {
    chains,
    /** Lets the keepers work for this time, with a block every second. */
    async pass(milliseconds: number) {
      const ended = running.then(() => Promise.reject(new Error("the keepers ended by themselves")));
      await Promise.race([passUntil(clock.elapsed() + milliseconds, mine), ended]);
    },
    async stop() {
      stop.abort();
      await running;
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

/** Lets days pass. Returns what became of the keepers' transactions. */
async function race(options: RaceOptions): Promise<Result> {
  const { client, contract } = options.devnet;
  const firstBlock = (await client.getBlockNumber()) + 1n;
  const keepers = await startKeepers(options);
  for (let day = 0; day < DAYS; day++) {
    const { timestamp } = await client.getBlock();
    const tomorrow = (dayNumber(timestamp) + 1) * DAY_SECONDS + DAY_SECONDS / 2;
    await client.setNextBlockTimestamp({ timestamp: BigInt(tomorrow) });
    await keepers.pass(DAY_OF_RACE_MS);
    expect(await nextDay(options.devnet)).toBe(dayNumber(tomorrow) + 1);
  }
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
    address: contract,
    abi: protocolAbi,
    eventName: "SubLog",
    fromBlock: firstBlock,
    toBlock: last,
  });
  const codes: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
  result.payments = logs.filter(({ args }) => codes.includes(args.subScriptEvent ?? -1)).length;
  result.reported = keepers.chains.map(({ ledger }) => ledger.totals());
  return result;
}

function nextDay({ client, contract }: Devnet): Promise<number> {
  return client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
}

/** A chain on which everything before the race is settled, and whose blocks come in the keepers' time. */
async function startChain(): Promise<Devnet> {
  const devnet = await startDevnet({ scenario: everyDay, now: START });
  cleanUps.push(() => devnet.stop());
  expect(calendarDay(dayNumber(START)).weekDay).toBe(7);
  await devnet.client.setAutomine(false);
  await devnet.client.setBlockTimestampInterval({ interval: BLOCK_SECONDS });
  const settle = await startKeepers({ devnet, keepers: 1, seesPool: true });
  await settle.pass(DAY_OF_RACE_MS);
  await settle.stop();
  expect(await nextDay(devnet)).toBe(dayNumber(START) + 1);
  return devnet;
}

test("three keepers settle each a share, revert at most once for each keeper and day, and cost at most a tenth more than one alone", async () => {
  const devnet = await startChain();
  const alone = await race({ devnet, keepers: 1, seesPool: true });
  expect([...alone.settled.values()]).toEqual([TRANSACTIONS]);
  expect([...alone.reverted]).toEqual([]);
  for (const seesPool of [true, false]) {
    const { payments, gasUsed, settled, reverted, reported } = await race({ devnet, keepers: KEEPERS, seesPool });
    const share = [...settled.values()].join(" + ");
    const more = Number(((gasUsed - alone.gasUsed) * 1_000n) / alone.gasUsed) / 10;
    const reverts = [...reverted.values()].reduce((sum, count) => sum + count, 0);
    console.log(
      `${seesPool ? "with" : "without"} sight of the pool: ${share} transactions, ${reverts} reverted, ${more} % more gas`,
    );
    expect(payments).toBe(DAYS * SUBSCRIBERS);
    expect(settled.size).toBe(KEEPERS);
    expect(Math.max(0, ...reverted.values())).toBeLessThanOrEqual(1);
    expect(more).toBeLessThanOrEqual(10);
    expect(reported.reduce((sum, totals) => sum + totals.settled, 0)).toBe(TRANSACTIONS);
    expect(reported.reduce((sum, totals) => sum + totals.lost, 0)).toBeGreaterThan(0);
  }
}, 600_000);
