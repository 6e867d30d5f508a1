import { afterAll, expect, test } from "bun:test";
import { startTestApi } from "@dueday/api/test/startTestApi";
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
import { createApi } from "@dueday/keeper/api";
import { keep } from "@dueday/keeper/keep";
import { createNode, type KeeperNode } from "@dueday/keeper/node";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { parseEther, parseGwei } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const KEEPERS = 3;
const DAYS = 8;
const SUBSCRIBERS = 4;
const RESTING_BLOCKS = 3n;
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

type Options = { apiUrl: string; devnet: Devnet; isCareful: boolean };

/** Keepers that run until `stop`. Careless ones send the plan's transactions at once, without an estimate on the pending state. */
function startKeepers({ apiUrl, devnet, isCareful }: Options): { stop(): Promise<void> } {
  let isStopped = false;
  class Stopped extends Error {}
  const running = Array.from({ length: KEEPERS }, async (_, index) => {
    const account = privateKeyToAccount(testAccount(ACCOUNTS - 1 - index).privateKey);
    const node = createNode(devnet.url);
    const careless: KeeperNode = {
      ...node,
      estimateRemit: async () => ({
        ...{ gasLimit: 1_000_000n, gasPrice: 0n, nextUncheckedDay: 0 },
        ...{ maxFeePerGas: parseGwei("100"), maxPriorityFeePerGas: parseGwei("1") },
      }),
    };
    const ended = keep({
      ...{ api: createApi(apiUrl, 31337), node: isCareful ? node : careless, account, chainId: 31337 },
      ...{ contract: devnet.contract, once: false, intervalMs: 300, jitterMs: isCareful ? 900 : 0 },
      costLimits: { minProfitWei: null, maxGasPrice: null, prices: [] },
      print() {},
      async sleep(milliseconds) {
        await Bun.sleep(milliseconds);
        if (isStopped) throw new Stopped();
      },
    });
    await ended.catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error;
    });
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}

/** Lets days pass, each after the one before is settled and the keepers are idle. Returns what became of their transactions. */
async function race(options: Options) {
  const { client, contract } = options.devnet;
  const firstBlock = (await client.getBlockNumber()) + 1n;
  const nextDay = () => client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
  const keepers = startKeepers(options);
  for (let day = 0; day < DAYS; day++) {
    const { timestamp } = await client.getBlock();
    const tomorrow = (dayNumber(timestamp) + 1) * DAY_SECONDS + DAY_SECONDS / 2;
    await client.setNextBlockTimestamp({ timestamp: BigInt(tomorrow) });
    await waitUntil("the day to be settled", async () => (await nextDay()) > dayNumber(tomorrow), 180_000);
    // Until late keepers have noticed: all of them wait for the next day.
    const settled = await client.getBlockNumber();
    await waitUntil("the keepers to rest", async () => (await client.getBlockNumber()) >= settled + RESTING_BLOCKS);
  }
  await keepers.stop();
  const sent = { settled: 0, reverted: 0, gasLost: 0n };
  const last = await client.getBlockNumber();
  for (let number = firstBlock; number <= last; number++) {
    const { transactions } = await client.getBlock({ blockNumber: number });
    for (const hash of transactions) {
      const receipt = await client.getTransactionReceipt({ hash });
      if (receipt.status === "success") sent.settled++;
      else {
        sent.reverted++;
        sent.gasLost += receipt.gasUsed;
      }
    }
  }
  const logs = await client.getContractEvents({
    ...{ address: contract, abi: protocolAbi, eventName: "SubLog", fromBlock: firstBlock, toBlock: last },
  });
  const codes: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
  const payments = logs.filter(({ args }) => codes.includes(args.subScriptEvent ?? -1)).length;
  return { ...sent, payments };
}

test("three keepers that estimate on the pending state lose at most a fifth of what they would lose without", async () => {
  const devnet = await startDevnet({ scenario: everyDay, now: START, blockTimeSeconds: 1 });
  cleanUps.push(() => devnet.stop());
  expect(calendarDay(dayNumber(START)).weekDay).toBe(7);
  const api = await startTestApi({
    ...{ database: await createTestDatabase(), rpcUrl: devnet.url, contract: devnet.contract },
  });
  cleanUps.push(() => api.stop());
  const careless = await race({ apiUrl: api.url, devnet, isCareful: false });
  const careful = await race({ apiUrl: api.url, devnet, isCareful: true });
  for (const [name, { settled, reverted, gasLost, payments }] of Object.entries({ careless, careful })) {
    console.log(`${name}: ${payments} payments in ${settled} transactions, ${reverted} reverted, ${gasLost} gas lost`);
  }
  // The days before the race are open at its start: the careless ones settle them as well.
  expect(careless.payments).toBeGreaterThanOrEqual(DAYS * SUBSCRIBERS);
  expect(careful.payments).toBe(DAYS * SUBSCRIBERS);
  expect(careless.reverted).toBeGreaterThan(0);
  expect(careful.reverted).toBeLessThanOrEqual(careless.reverted * 0.2);
}, 600_000);
