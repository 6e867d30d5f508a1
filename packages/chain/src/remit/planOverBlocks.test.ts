import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Plan } from "@dueday/core/remit/plan";
import { large } from "@dueday/devnet/scenarios/large";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import type { SimulationLimits } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import { createRemitStateCache } from "./state/createRemitStateCache";

// A plan of 300 transactions on a chain whose blocks have the gas of Base's.

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const TRANSACTIONS = 300;
const TX_GAS_CAP = 16_777_216n;

let devnet: Devnet;
beforeAll(async () => {
  const scenario = large({ payments: 5 * TRANSACTIONS, days: 10, maxRemits: 5n });
  devnet = await startDevnet({ scenario, now: NOW, gasLimit: 40_000_000n });
  await devnet.client.mine({ blocks: 1 });
});
afterAll(() => devnet.stop());

async function planWithin(simulation: SimulationLimits) {
  const proxy = startNodeProxy(devnet.url, { simulation });
  const alarms: PlanAlarm[] = [];
  try {
    const client = createChainClient({
      chainId: 31337,
      rpcUrls: [proxy.url],
      requestTimeoutMs: 20_000,
      txGasCap: TX_GAS_CAP,
    });
    const block = await pinBlock(client);
    const plan = await planBacklog(client, {
      contract: devnet.contract,
      from: devnet.keeper.address,
      block,
      maxRemits: 5,
      stateCache: createRemitStateCache(devnet.contract),
      needsModel: () => true,
      onAlarm: (alarm) => alarms.push(alarm),
    });
    return { plan, alarms, gasLimit: block.gasLimit, requests: proxy.calls.get("eth_simulateV1") ?? 0 };
  } finally {
    await proxy.stop();
  }
}

const withoutGas = ({ transactions, ...plan }: Plan) => ({
  end: plan.end,
  complete: plan.complete,
  transactions: transactions.map(({ gas: _, ...transaction }) => transaction),
});
const simulated = ({ transactions }: Plan) => transactions.filter(({ gas }) => gas?.source === "simulated");

test("300 transactions are simulated over blocks of 40 million gas in at most four requests, as far as the node's budget reaches, and planned as at 400 million a block", async () => {
  const limits = { blockGas: true, requestGas: 400_000_000 };
  const narrow = await planWithin(limits);
  await devnet.client.setBlockGasLimit({ gasLimit: 400_000_000n });
  await devnet.client.mine({ blocks: 1 });
  const wide = await planWithin(limits);
  await devnet.client.setBlockGasLimit({ gasLimit: 40_000_000n });
  await devnet.client.mine({ blocks: 1 });

  expect([narrow.gasLimit, wide.gasLimit]).toEqual([40_000_000n, 400_000_000n]);
  expect([narrow.alarms, wide.alarms]).toEqual([[], []]);
  expect(narrow.plan.transactions.length).toBeGreaterThanOrEqual(TRANSACTIONS);
  expect(withoutGas(narrow.plan)).toEqual(withoutGas(wide.plan));
  expect(simulated(narrow.plan)).toEqual(simulated(wide.plan));
  expect(simulated(narrow.plan)).toHaveLength(narrow.plan.transactions.length);
  expect(narrow.requests).toBeLessThanOrEqual(4);
});

test("beyond the gas that a node has for a request the model goes on with the same plan", async () => {
  const whole = await planWithin({ blockGas: true, requestGas: 400_000_000 });
  const partly = await planWithin({ blockGas: true, requestGas: 50_000_000 });
  expect(partly.alarms).toEqual([]);
  expect(withoutGas(partly.plan)).toEqual(withoutGas(whole.plan));
  const count = simulated(partly.plan).length;
  expect(simulated(partly.plan)).toEqual(simulated(whole.plan).slice(0, count));
  expect(count).toBeGreaterThan(0);
  expect(partly.requests).toBeLessThanOrEqual(4);
});
