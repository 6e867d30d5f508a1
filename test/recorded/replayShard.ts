import { describe, expect, test } from "bun:test";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { compareHistory } from "./compareHistory";
import { compareMetrics } from "./compareMetrics";
import { compareMoney } from "./compareMoney";
import { comparePayments } from "./comparePayments";
import { createPlanComparison } from "./comparePlan";
import { compareReads } from "./compareReads";
import { createReplayIndex, type ReplayIndex } from "./createReplayIndex";

/** As many as there are files `shard<number>.test.ts`, numbered from 1. */
export const SHARDS = 4;

/** The longest takes 4 s alone. */
const TIMEOUT_MS = 180_000;

/** History, search, activity and money need no node. */
const NO_NODE = "http://127.0.0.1:1";

/**
 * Declares a test for each scenario of a shard. A scenario is replayed once, on a separate node, and compared with its record:
 * outcomes, events and final state on the chain, and each recorded plan. What the service serves is compared in every sixth scenario, and
 * with a depth above 1 in all of them.
 */
export async function replayShard(shard: number, depth: number): Promise<void> {
  const index = await createReplayIndex();
  const servedEvery = depth > 1 ? 1 : 6;
  const scenarios = (await loadScenarios()).filter((_, index) => index % SHARDS === shard - 1);

  describe("the devnet contract behaves as the deployed one did, and plans equal the record", () => {
    for (const [place, scenario] of scenarios.entries()) {
      const isServed = place % servedEvery === 0;
      test(
        `recorded scenario ${scenario.scenario}${isServed ? ", as are reads, history and money" : ""}`,
        async () => {
          const comparePlan = createPlanComparison();
          const compared = { plans: 0, final: false };
          const differences = await replayScenario(scenario, {
            async onPlan(context, step) {
              await comparePlan(context, step);
              compared.plans++;
            },
            async onFinal(context) {
              if (isServed) await compareService(index, context);
              compared.final = true;
            },
          });
          expect(differences).toEqual([]);
          const plans = scenario.steps.filter(({ op }) => op === "plan").length;
          expect(compared).toEqual({ plans, final: true });
        },
        TIMEOUT_MS,
      );
    }
  });
}

/**
 * The API's reads equal the record; so do history, search and activity, the tokens that moved, payment by payment, and members and
 * revenue. What the index derives from the logs is the same after a reorganisation and a rebuild.
 */
async function compareService(index: ReplayIndex, context: ReplayContext): Promise<void> {
  await index.fill(context);
  await index.serve(context, { rpcUrl: context.url }, (api) => compareReads(api, context));
  await index.serve(context, { rpcUrl: NO_NODE }, async (api) => {
    await compareHistory(api, context);
    await compareMoney(api, context);
    await comparePayments(api, context);
    await compareMetrics(api, context);
  });
  const { before, reorganised, rebuilt } = await index.derive(context);
  expect(reorganised).toEqual(before);
  expect(rebuilt).toEqual(before);
}
