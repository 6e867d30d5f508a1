import { afterAll, expect, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { deployProtocol } from "@dueday/devnet/deployProtocol";
import { deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX } from "@dueday/devnet/testAccount";
import type { Clock } from "@dueday/keeper/clock";
import type { KeeperSettings } from "@dueday/keeper/config/parseSettings";
import { runKeeper } from "@dueday/keeper/run/runKeeper";
import { formatEther, type Hex, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/**
 * A day of a keeper on three chains in accelerated time: `bun run test:keeper`. It begins half an hour before a midnight, on which 1,008
 * payments fall due, and ends half an hour after the next.
 */
const FACTOR = 600;
const CHAINS = 3;
const SUBSCRIPTIONS = 4;
const SUBSCRIBERS = 84;
const PAYMENTS = SUBSCRIPTIONS * SUBSCRIBERS;
const BLOCK_SECONDS = 60;
/** A Sunday. */
const START = Date.UTC(2026, 2, 1, 23, 30) / 1000;
const END = START + DAY_SECONDS + 3_600;
const ACCOUNTS = ACCOUNT_INDEX.firstSubscriber + SUBSCRIBERS;
const MOST_GROWTH_BYTES = 40 * 2 ** 20;

const scenario: DevnetScenario = {
  daysBefore: 1,
  accounts: ACCOUNTS,
  async seed(client) {
    const accounts = await client.request({ method: "eth_accounts" });
    const [admin, janitor, , provider] = accounts;
    if (!admin || !janitor || !provider) throw new Error("the node has too few accounts");
    const fees = { callerFee: 10200n, systemFee: 10000n, allowSystemFee: false };
    const contract = await deployProtocol(client, { ...fees, maxRemits: 20n, cancelLimit: 5n, admin, janitor });
    const target = { client, contract, admin };
    const token = await deployToken(client, admin, { name: "Harbor Dollar", symbol: "HUSD", decimals: 18 });
    await approveToken(target, token, 18, parseEther("1"));
    const payers = accounts.slice(ACCOUNT_INDEX.firstSubscriber);
    for (const payer of payers) await fund(target, token, payer, parseEther("1000"), parseEther("1000"));
    for (let index = 0; index < SUBSCRIPTIONS; index++) {
      const terms = {
        amount: parseEther(`${10 + index}`),
        token,
        details: { url: "", description: "" },
        frequency: 0,
        dueDay: 1,
      };
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

/** Three nodes of different chain ids. */
async function startChains(): Promise<{ devnet: Devnet; chainId: number }[]> {
  return Promise.all(
    Array.from({ length: CHAINS }, async (_, index) => {
      const devnet = await startDevnet({ scenario, now: START });
      cleanUps.push(() => devnet.stop());
      const chainId = 31_337 + index;
      await devnet.client.request({ method: "anvil_setChainId" as never, params: [chainId] as never }); // viem has no type for it
      await devnet.client.setAutomine(false);
      return { devnet, chainId };
    }),
  );
}

test("a day on three chains: 1,008 payments settled, memory flat, few messages, and a summary that equals the chain", async () => {
  const chains = await startChains();
  const began = performance.now();
  const elapsed = () => (performance.now() - began) * FACTOR;
  const wall = () => START * 1000 + elapsed();
  const stop = new AbortController();
  const clock: Clock = {
    ...{ elapsed, wall, random: Math.random },
    sleep: (milliseconds) => (stop.signal.aborted ? Promise.resolve() : Bun.sleep(Math.max(1, milliseconds / FACTOR))),
  };
  const account = privateKeyToAccount(chains[0]?.devnet.keeper.privateKey as Hex); // the same on every devnet
  const settings: KeeperSettings = {
    ...{
      api: null,
      key: null,
      intervalMs: 300_000,
      windowMs: 5_000,
      replaceAfterMs: 1_800_000,
      dryRun: false,
      once: false,
    },
    ...{ log: null, metrics: { port: null, host: "127.0.0.1" }, notify: { urls: ["http://hook"], gasDays: 7 } },
    chains: chains.map(({ devnet, chainId }) => ({
      ...{ chainId, rpcUrls: [devnet.url], contract: devnet.contract, minProfitWei: null },
      ...{ maxGasPrice: 10n ** 12n, prices: new Map() },
    })),
  };
  const messages: string[] = [];
  const memory: number[] = [];
  const post = async (_: string, body: string) => void messages.push(JSON.parse(body).text);
  const running = runKeeper({ settings, account, clock, signal: stop.signal, post, log() {} });

  while (wall() < END * 1000) {
    const timestamp = BigInt(Math.floor(wall() / 1000));
    for (const { devnet } of chains) {
      const { timestamp: last } = await devnet.client.getBlock();
      if (timestamp <= last) continue;
      await devnet.client.setNextBlockTimestamp({ timestamp });
      await devnet.client.mine({ blocks: 1 });
    }
    if (memory.length < (4 * (wall() - START * 1000)) / ((END - START) * 1000)) {
      Bun.gc(true);
      memory.push(process.memoryUsage.rss());
    }
    await Bun.sleep((BLOCK_SECONDS * 1000) / FACTOR);
  }
  stop.abort();
  expect(await running).toBe(0);

  const summaries = messages
    .join("\n")
    .split("\n")
    .filter((line) => line.includes("summary of 2026-03-02"));
  for (const { devnet, chainId } of chains) {
    const { client, contract, tokens, keeper } = devnet;
    const next = await client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
    expect(next).toBeGreaterThan(dayNumber(START) + 1);
    expect(calendarDay(dayNumber(START) + 1).weekDay).toBe(1);
    const subLogs = await client.getContractEvents({
      address: contract,
      abi: protocolAbi,
      eventName: "SubLog",
      fromBlock: 0n,
    });
    const since = subLogs.filter(({ args }) => Number(args.timestamp) >= START);
    const codes: readonly number[] = [subLogCode.SubscriberPaid, subLogCode.FeeFill];
    expect(since.filter(({ args }) => codes.includes(args.subScriptEvent ?? -1))).toHaveLength(PAYMENTS);
    const received = await client.getContractEvents({
      ...{ address: tokens[0], abi: erc20Abi, eventName: "Transfer", args: { to: keeper.address }, fromBlock: 0n },
    });
    const earned = received.reduce((sum, { args }) => sum + (args.value ?? 0n), 0n);
    const summary = summaries.find((line) => line.startsWith(`[${chainId}]`)) ?? "none";
    console.log(summary);
    expect(summary).toContain(`${PAYMENTS} payments (0 failed)`);
    expect(summary).toContain(`earned ${formatEther(earned)} HUSD`);
  }
  const growth = Math.max(...memory.slice(2)) - (memory[1] ?? 0);
  console.log(
    `${messages.length} messages; memory ${memory.map((bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`).join(", ")}`,
  );
  expect(messages.length).toBeLessThan(20);
  expect(growth).toBeLessThan(MOST_GROWTH_BYTES);
}, 600_000);
