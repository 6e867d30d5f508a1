import { afterAll, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { systemClock } from "@dueday/keeper/clock";
import { createKeeperChain } from "@dueday/keeper/run/createKeeperChain";
import { keepChain } from "@dueday/keeper/run/keepChain";
import { openChain } from "@dueday/keeper/run/openChain";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { privateKeyToAccount } from "viem/accounts";

const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A Sunday; a day later, six payments are due in three transactions. */
const START = Date.UTC(2026, 2, 1, 12) / 1000;
const scenario = weeklyBook({ dueDays: [1], subscribers: 6, maxRemits: 2n, daysBefore: 2, isSettled: false });

test.each([
  ["after its first transaction", 1],
  ["before it could send anything", 0],
])("a node that is lost %s: the second one takes over, and everything is settled once", async (_, broadcasts) => {
  const devnet = await startDevnet({ scenario, now: START });
  cleanUps.push(() => devnet.stop());
  const { client, contract, keeper } = devnet;
  await client.setNextBlockTimestamp({ timestamp: BigInt(START + DAY_SECONDS) });
  await client.mine({ blocks: 1 });
  const [first, second] = [startNodeProxy(devnet.url), startNodeProxy(devnet.url)];
  cleanUps.push(() => second.stop());
  const sent = () => first.exchanges.flat().filter((method) => method === "eth_sendRawTransaction").length;

  const stop = new AbortController();
  const open = await openChain(
    {
      chainId: 31_337,
      rpcUrls: [first.url, second.url],
      contract,
      minProfitWei: null,
      maxLossWei: null,
      maxGasPrice: 10n ** 12n,
      prices: new Map(),
    },
    { api: null, replaceAfterMs: 30_000 },
    keeper.address,
  );
  const logged: string[] = [];
  if (broadcasts === 0) await first.stop();
  const chain = createKeeperChain(open, {
    account: privateKeyToAccount(keeper.privateKey),
    clock: systemClock(stop.signal),
    settings: { replaceAfterMs: 60_000, notify: { gasDays: 1 } },
    report: {
      log(_, message) {
        logged.push(message);
        // The line of the second signature: the first transaction is mined, and the node is lost in the middle.
        if (broadcasts > 0 && message.startsWith("sends transaction") && sent() === broadcasts) void first.stop();
      },
      raise() {},
      resolve() {},
      announce() {},
      status() {},
    },
  });
  expect(await keepChain(chain, { once: true, intervalMs: 300, windowMs: 0, signal: stop.signal })).toBe(0);

  expect(sent()).toBe(broadcasts);
  const nextDay = await client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
  expect(nextDay).toBe(dayNumber(START + DAY_SECONDS) + 1);
  expect(await client.getTransactionCount({ address: keeper.address })).toBe(3);
  expect(chain.ledger.totals()).toMatchObject({ settled: 3, reverted: 0, payments: 6 });
  expect(logged.filter((line) => line.startsWith("sends transaction"))).toHaveLength(3);
});
