import { expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { planBacklog } from "@dueday/chain/remit/planBacklog";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { simulateCalls } from "@dueday/chain/simulate/simulateCalls";
import { startProxy } from "@dueday/chain/test/startProxy";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import { testDepth } from "@dueday/test-support/testDepth";

/** 10 of the 120 recorded scenarios; 60 in `bun run test:deep`. */
const EACH = testDepth > 1 ? 2 : 12;
const TIMEOUT_MS = 300_000 * testDepth;
/** A prepare's gas limit for what a transaction uses. */
const withMargin = (gasUsed: bigint) => (gasUsed * 3n) / 2n;

test(
  "without eth_simulateV1 the gas of a plan is within 5 % of what is used in the median, within 20 % each, and its limit suffices",
  async () => {
    const errors: number[] = [];
    const scenarios = (await loadScenarios()).filter((_, place) => place % EACH === 0);
    for (const scenario of scenarios) {
      await replayScenario(scenario, {
        async onPlan({ url, contract, keeper }) {
          const proxy = startProxy(url, ({ method }) =>
            method === "eth_simulateV1" ? { code: -32601, message: "no such method" } : null,
          );
          try {
            const client = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 10_000 });
            const block = await readHead(client);
            const plan = await planBacklog(client, {
              contract,
              from: keeper,
              block,
              stateCache: createRemitStateCache(contract),
              needsModel: () => true,
              onAlarm: (alarm) => expect(alarm).toBeNull(),
            });
            const planned = plan.transactions.map(({ gas }) => gas?.used ?? 0n);
            // anvil's simulation uses what a mined transaction uses, to the unit.
            const simulating = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 10_000 });
            const call = { from: keeper, to: contract, data: encodeRemit() };
            const results = await simulateCalls(simulating, {
              calls: planned.map((gasUsed) => ({ ...call, gas: withMargin(gasUsed) })),
              block,
            });
            for (const [index, { success, gasUsed }] of results.entries()) {
              expect(success).toBe(true);
              errors.push(Number(planned[index]) / Number(gasUsed) - 1);
            }
          } finally {
            await proxy.stop();
          }
        },
      });
    }
    const sorted = errors.map(Math.abs).sort((a, b) => a - b);
    const [median = 1, worst = 1] = [sorted[sorted.length >> 1], sorted.at(-1)];
    console.log(
      `${errors.length} transactions of ${scenarios.length} scenarios: gas off by ${(100 * median).toFixed(1)} % in the median, ` +
        `${(100 * Math.min(...errors)).toFixed(1)} to ${(100 * Math.max(...errors)).toFixed(1)} % at most`,
    );
    expect(scenarios).toHaveLength(120 / EACH);
    expect(errors.length).toBeGreaterThan(15 * scenarios.length);
    expect(median).toBeLessThanOrEqual(0.05);
    expect(worst).toBeLessThanOrEqual(0.2);
  },
  TIMEOUT_MS,
);
