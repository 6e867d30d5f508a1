import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startProxy } from "@dueday/chain/test/startProxy";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { large } from "@dueday/devnet/scenarios/large";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { createRemitStateCache } from "./state/createRemitStateCache";

setDefaultTimeout(240_000);

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const SUBSCRIBERS = 10_000;
const MAX_REMITS = 100;

let devnet: Devnet;
beforeAll(async () => {
  const scenario = large({ payments: SUBSCRIBERS, days: 10, maxRemits: BigInt(MAX_REMITS), amount: 1n });
  devnet = await startDevnet({ scenario, now: NOW });
});
afterAll(() => devnet.stop());

test("10,000 subscribers of one wei, which is no unit of the token, are planned in bounded time and memory with a few requests, earn nothing, and settle as planned", async () => {
  const { client, contract, keeper, url } = devnet;
  const proxy = startProxy(url);
  const reader = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 60_000 });
  const alarms: PlanAlarm[] = [];
  Bun.gc(true);
  const bytes = process.memoryUsage().rss;
  const startedAt = performance.now();
  const { transactions, end } = await planBacklog(reader, {
    contract,
    from: keeper.address,
    block: await pinBlock(reader),
    maxRemits: MAX_REMITS,
    stateCache: createRemitStateCache(contract),
    needsModel: () => true,
    onAlarm: (alarm) => alarms.push(alarm),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const megabytes = (process.memoryUsage().rss - bytes) / 2 ** 20;
  console.log(`${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB, ${proxy.requests} requests`);
  await proxy.stop();
  expect({ end, alarms }).toEqual({ end: "caught_up", alarms: [] });
  expect(transactions.reduce((sum, { payments }) => sum + payments, 0)).toBe(SUBSCRIBERS);
  const fees = transactions.flatMap(({ callerFees }) => callerFees.map(({ units }) => units));
  expect(fees.filter((units) => units > 0n)).toEqual([]);
  expect(seconds).toBeLessThan(20);
  expect(megabytes).toBeLessThan(400);
  expect(proxy.requests).toBeLessThan(50);
  // The first pages show it; all of them would only take time.
  for (const { payments } of transactions.slice(0, 3)) {
    const { logs } = await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
    expect(parseRemitLogs(logs, { contract, caller: keeper.address }).payments).toBe(payments);
  }
});
