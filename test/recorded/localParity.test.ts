import { describe, expect, test } from "bun:test";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import { testDepth } from "@dueday/test-support/testDepth";
import { compareLocal } from "./compareLocal";
import { createReplayIndex } from "./createReplayIndex";

const index = await createReplayIndex();
const all = await loadScenarios();
/** Two of them; all 120 in `bun run test:deep`. */
const scenarios = testDepth > 1 ? all : all.filter((_, place) => place % 60 === 7);
const TIMEOUT_MS = 180_000;

describe("local mode gives the API's answers at every plan of a recorded scenario", () => {
  for (const scenario of scenarios) {
    test(
      `recorded scenario ${scenario.scenario}`,
      async () => {
        let compared = 0;
        let isFilled = false;
        const differences = await replayScenario(scenario, {
          async onPlan(context) {
            // The database serves one chain: it has to belong to this one.
            if (!isFilled) await index.fill(context);
            isFilled = true;
            await index.serve(context, { rpcUrl: context.url }, async (api) => {
              compared += await compareLocal(api, context);
            });
          },
        });
        expect(differences).toEqual([]);
        expect(compared).toBeGreaterThan(20);
      },
      TIMEOUT_MS,
    );
  }
});
