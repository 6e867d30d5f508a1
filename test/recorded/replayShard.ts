import { describe, expect, test } from "bun:test";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import { compareHistory } from "./compareHistory";
import { compareMetrics } from "./compareMetrics";
import { compareMoney } from "./compareMoney";
import { comparePayments } from "./comparePayments";
import { createPlanComparison } from "./comparePlan";
import { compareReads } from "./compareReads";
import { createReplayIndex } from "./createReplayIndex";

/** As many as there are files `shard<number>.test.ts`, numbered from 1. */
export const SHARDS = 4;

/** The longest takes 4 s alone. */
const TIMEOUT_MS = 180_000;

/** History, search, activity and money need no node. */
const NO_NODE = "http://127.0.0.1:1";

/**
 * Declares a test for each scenario of a shard. A scenario is replayed once, on a separate node, and compared with its record
 * in six ways: outcomes, events and final state on the chain; each recorded plan; the API's reads; history, search and activity; the
 * tokens that moved, payment by payment; and members and revenue. What the index derives from the logs is the same after a reorganisation and a rebuild.
 */
export async function replayShard(shard: number): Promise<void> {
  const index = await createReplayIndex();
  const scenarios = (await loadScenarios()).filter((_, index) => index % SHARDS === shard - 1);

  describe("the devnet contract behaves as the deployed one did, and plans, reads, history and money equal the record", () => {
    for (const scenario of scenarios) {
      test(
        `recorded scenario ${scenario.scenario}`,
        async () => {
          const comparePlan = createPlanComparison();
          const compared = { plans: 0, final: false };
          const differences = await replayScenario(scenario, {
            async onPlan(context, step) {
              await comparePlan(context, step);
              compared.plans++;
            },
            async onFinal(context) {
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
