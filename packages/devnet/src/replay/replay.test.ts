import { afterAll, describe, expect, test } from "bun:test";
import { loadScenarios } from "./loadScenarios";
import { replayScenario } from "./replayScenario";

const scenarios = await loadScenarios();
let equal = 0;

describe("the devnet contract behaves as the deployed one did: outcomes, order of events, final state", () => {
  for (const scenario of scenarios) {
    test(`recorded scenario ${scenario.scenario}`, async () => {
      const plans: { recordedAt: number; head: number }[] = [];
      const differences = await replayScenario(scenario, {
        onPlan: async ({ client }, step) => {
          plans.push({ recordedAt: step.at, head: Number((await client.getBlock()).timestamp) });
        },
      });
      expect(differences).toEqual([]);
      // The hook runs at the recorded block time, which a plan depends on.
      expect(plans.map((plan) => plan.head)).toEqual(plans.map((plan) => plan.recordedAt));
      equal++;
    });
  }

  test("all 120 scenarios are in the repository", () => {
    expect(scenarios.length).toBe(120);
    expect(scenarios.flatMap((scenario) => scenario.steps.filter((step) => step.op === "plan")).length).toBe(927);
  });
});

afterAll(() => console.log(`scenarios replayed on the devnet contract: ${equal}/${scenarios.length}`));
