import { afterAll, expect, test } from "bun:test";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { keepChain } from "@dueday/keeper/run/keepChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { createChainClock } from "@dueday/keeper/test/createChainClock";
import { privateKeyToAccount } from "viem/accounts";

const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const TRANSACTIONS = 100;
const BLOCK_MS = 200;
/** Of the base fee, for each second: what a chain with full blocks of 200 ms allows. */
const RISE = 1.02;
const FIRST_BASE_FEE = 5_000_000;
const MAX_GAS_PRICE = 50_000_000_000n;
/** A Sunday; a day later, two hundred payments are due in a hundred transactions. */
const START = Date.UTC(2026, 2, 1, 12) / 1000;
const SUBSCRIPTIONS = 4;
const scenario = weeklyBook({
  dueDays: Array<number>(SUBSCRIPTIONS).fill(1),
  subscribers: (2 * TRANSACTIONS) / SUBSCRIPTIONS,
  maxRemits: 2n,
  daysBefore: 1,
  isSettled: false,
});

test("blocks of 200 ms whose base fee rises 2 % a second, and a node that loses every tenth transaction: all of 100 are mined within the limits, and none reverts", async () => {
  const devnet = await startDevnet({ scenario, now: START, gasLimit: 40_000_000n });
  cleanUps.push(() => devnet.stop());
  const { client, contract, keeper, url } = devnet;
  await client.setAutomine(false);
  await client.setNextBlockTimestamp({ timestamp: BigInt(START + DAY_SECONDS) });
  await client.mine({ blocks: 1 });
  const firstBlock = (await client.getBlockNumber()) + 1n;

  let lost = 0;
  const clock = createChainClock({
    client,
    startsAt: START + DAY_SECONDS,
    blockMs: BLOCK_MS,
    async beforeBlock(elapsed) {
      const baseFeePerGas = BigInt(Math.round(FIRST_BASE_FEE * RISE ** (elapsed / 1000)));
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas });
      const next = nextToLose.shift();
      if (next === undefined) return;
      lost++;
      await client.dropTransaction({ hash: next });
    },
  });
  const nextToLose: `0x${string}`[] = [];
  const signed: { nonce: number; maxFeePerGas: bigint; at: number; isReplacement: boolean }[] = [];
  const open = await openChain(
    {
      chainId: 31_337,
      rpcUrls: [url],
      contract,
      minProfitWei: null,
      maxLossWei: null,
      maxGasPrice: MAX_GAS_PRICE,
      prices: new Map(),
    },
    { api: null, replaceAfterMs: 30_000 },
    keeper.address,
  );
  const chain = createKeeperChain(open, {
    account: privateKeyToAccount(keeper.privateKey),
    clock,
    settings: { replaceAfterMs: 30_000, notify: { gasDays: 1 } },
    report: {
      log(_, message, facts) {
        const [, verb, hash] = /^(sends|replaces with) transaction (0x[0-9a-f]{64})$/.exec(message) ?? [];
        if (verb === undefined || hash === undefined) return;
        const { nonce = 0, maxFeePerGas = 0n } = facts ?? {};
        const isReplacement = verb !== "sends";
        signed.push({
          nonce: Number(nonce),
          maxFeePerGas: BigInt(maxFeePerGas ?? 0),
          at: clock.elapsed(),
          isReplacement,
        });
        // The form of the hash was matched.
        if (!isReplacement && Number(nonce) % 10 === 0) nextToLose.push(hash as `0x${string}`);
      },
      raise() {},
      resolve() {},
      announce() {},
      status() {},
    },
  });
  const never = new AbortController().signal;
  expect(await keepChain(chain, { once: true, intervalMs: 60_000, windowMs: 0, signal: never })).toBe(0);

  const receipts = [];
  const last = await client.getBlockNumber();
  const times = new Map<bigint, number>();
  for (let number = firstBlock; number <= last; number++) {
    const { transactions, timestamp } = await client.getBlock({ blockNumber: number });
    times.set(timestamp, (times.get(timestamp) ?? 0) + 1);
    for (const hash of transactions) receipts.push(await client.getTransactionReceipt({ hash }));
  }
  expect(receipts).toHaveLength(TRANSACTIONS);
  expect(receipts.filter(({ status }) => status !== "success")).toEqual([]);
  for (const { effectiveGasPrice } of receipts) expect(effectiveGasPrice).toBeLessThanOrEqual(MAX_GAS_PRICE);
  for (const { maxFeePerGas } of signed) expect(maxFeePerGas).toBeLessThanOrEqual(MAX_GAS_PRICE);
  const replaced = signed.filter(({ isReplacement }) => isReplacement);
  expect(lost).toBe(TRANSACTIONS / 10);
  expect(replaced.map(({ nonce }) => nonce)).toEqual(Array.from({ length: lost }, (_, index) => index * 10));
  expect(Math.max(...times.values())).toBe(1000 / BLOCK_MS);
  expect(chain.ledger.totals()).toMatchObject({ settled: TRANSACTIONS, reverted: 0, lossWei: 0n });
  const fees = receipts.map(({ effectiveGasPrice }) => Number(effectiveGasPrice) / 1e9);
  console.log(
    `${TRANSACTIONS} transactions in ${Math.round(clock.elapsed() / 1000)} s of chain time and ${last - firstBlock} blocks: ${replaced.length} replaced, 0 reverted, ${fees[0]?.toFixed(3)} to ${fees.at(-1)?.toFixed(3)} gwei`,
  );
}, 600_000);
