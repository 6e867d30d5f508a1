import { afterAll, expect, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { KeeperSettings } from "@dueday/keeper/config/parseSettings";
import { runKeeper } from "@dueday/keeper/runKeeper";
import { createVirtualClock } from "@dueday/keeper/test/createVirtualClock";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { testDepth } from "@dueday/test-support/testDepth";
import { formatEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const MINUTE_MS = 60_000;
/** The whole form runs in `bun run test:deep`: a day and an hour, with 1,008 payments. */
const { chainCount, subscribers, hours, lostSeconds } =
  testDepth > 1
    ? { chainCount: 3, subscribers: 84, hours: 25, lostSeconds: 600 }
    : { chainCount: 2, subscribers: 12, hours: 3, lostSeconds: 45 };
const SUBSCRIPTIONS = 4;
const PAYMENTS = SUBSCRIPTIONS * subscribers;
const BLOCK_SECONDS = 12;
/** A Sunday, half an hour before the day on which everything falls due. */
const START = Date.UTC(2026, 2, 1, 23, 30) / 1000;
/** The last chain's node is lost for a while every two hours, the first time while the keeper settles. */
const LOST_FROM_MS = 30 * MINUTE_MS + 20_000;
const LOST_FOR_MS = lostSeconds * 1000;
const LOST_EVERY_MS = 120 * MINUTE_MS;
const MOST_MESSAGES = 19;
const MOST_GROWTH_BYTES = 40 * 2 ** 20;

const scenario = weeklyBook({
  dueDays: Array(SUBSCRIPTIONS).fill(1),
  subscribers,
  maxRemits: 20n,
  daysBefore: 1,
  isSettled: false,
});
const keeper = testAccount(ACCOUNT_INDEX.keeper);

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function startChain(index: number): Promise<{ devnet: Devnet; chainId: number }> {
  const devnet = await startDevnet({ scenario, now: START });
  cleanUps.push(() => devnet.stop());
  const chainId = 31_337 + index;
  // viem has no type for this method of anvil.
  await devnet.client.request({ method: "anvil_setChainId" as never, params: [chainId] as never });
  await devnet.client.setAutomine(false);
  await devnet.client.setBlockTimestampInterval({ interval: BLOCK_SECONDS });
  return { devnet, chainId };
}

/** What a chain shows of the keeper's work. */
async function readWork({ client, contract, tokens }: Devnet) {
  const logs = { address: contract, abi: protocolAbi, fromBlock: 0n } as const;
  const subLogs = await client.getContractEvents({ ...logs, eventName: "SubLog" });
  const codes: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
  const received = await client.getContractEvents({
    address: tokens[0],
    abi: erc20Abi,
    eventName: "Transfer",
    args: { to: keeper.address },
    fromBlock: 0n,
  });
  return {
    nextUncheckedDay: await client.readContract({ ...logs, functionName: "nextUncheckedDay" }),
    payments: subLogs.filter(({ args }) => Number(args.timestamp) >= START && codes.includes(args.subScriptEvent ?? -1))
      .length,
    earned: received.reduce((sum, { args }) => sum + (args.value ?? 0n), 0n),
  };
}

const title = `${hours} hours on ${chainCount} chains, one of whose nodes comes and goes: ${chainCount * PAYMENTS} payments settled, few messages, memory flat, and a summary that equals the chains`;

test(title, async () => {
  const chains = await Promise.all(Array.from({ length: chainCount }, (_, index) => startChain(index)));
  const proxy = await startTcpProxy();
  cleanUps.push(() => proxy.stop());
  const unsteady = chains.at(-1)?.devnet.url;
  const nodePort = Number(new URL(unsteady ?? "").port);
  proxy.pointAt(nodePort);

  const stop = new AbortController();
  const { clock, passUntil } = createVirtualClock({
    startsAt: START * 1000,
    signal: stop.signal,
    // A loop for each chain, the messages and the summary.
    sleepers: chainCount + 2,
  });
  const settings: KeeperSettings = {
    api: null,
    key: null,
    dryRun: false,
    once: false,
    log: null,
    intervalMs: 300_000,
    windowMs: 5_000,
    replaceAfterMs: 30_000,
    metrics: { port: null, host: "127.0.0.1" },
    notify: { urls: ["http://hook"], gasDays: 7 },
    chains: chains.map(({ devnet, chainId }) => ({
      chainId,
      contract: devnet.contract,
      minProfitWei: null,
      maxLossWei: null,
      maxGasPrice: 10n ** 12n,
      prices: new Map(),
      rpcUrls: [devnet.url === unsteady ? `http://127.0.0.1:${proxy.port}` : devnet.url],
    })),
  };
  const messages: string[] = [];
  const running = runKeeper({
    settings,
    account: privateKeyToAccount(keeper.privateKey),
    clock,
    signal: stop.signal,
    log() {},
    post: async (_, body) => void messages.push(JSON.parse(body).text),
  });

  const memory: number[] = [];
  const tick = {
    everyMs: BLOCK_SECONDS * 1000,
    async run() {
      const isLost = (clock.elapsed() - LOST_FROM_MS + LOST_EVERY_MS) % LOST_EVERY_MS < LOST_FOR_MS;
      // Nothing listens on port 1.
      proxy.pointAt(isLost ? 1 : nodePort);
      if (isLost) proxy.cut();
      await Promise.all(chains.map(({ devnet }) => devnet.client.mine({ blocks: 1 })));
    },
  };
  for (let quarter = 1; quarter <= 4; quarter++) {
    await Promise.race([
      passUntil((quarter * hours * 60 * MINUTE_MS) / 4, tick),
      running.then(() => Promise.reject(new Error("the keeper ended by itself"))),
    ]);
    Bun.gc(true);
    memory.push(process.memoryUsage.rss());
  }
  stop.abort();
  expect(await running).toBe(0);

  const summaries = messages.flatMap((text) => text.split("\n")).filter((line) => line.includes("settled: "));
  expect(calendarDay(dayNumber(START) + 1).weekDay).toBe(1);
  for (const { devnet, chainId } of chains) {
    const { nextUncheckedDay, payments, earned } = await readWork(devnet);
    expect(nextUncheckedDay).toBeGreaterThan(dayNumber(START) + 1);
    expect(payments).toBe(PAYMENTS);
    const summary = summaries.find((line) => line.includes(`[${chainId}]`)) ?? "none";
    expect(summary).toContain(`${PAYMENTS} payments (0 failed)`);
    expect(summary).toContain(`earned ${formatEther(earned)} HUSD`);
  }
  const growth = Math.max(...memory) - (memory[0] ?? 0);
  const sizes = memory.map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`).join(", ");
  console.log(`${title}: ${messages.length} messages; memory after each quarter: ${sizes}`);
  expect(messages.length).toBeLessThanOrEqual(MOST_MESSAGES);
  expect(growth).toBeLessThan(MOST_GROWTH_BYTES);
}, 1_800_000);
