import { afterAll, describe, expect, test } from "bun:test";
import { loadScenarios } from "./loadScenarios";
import { replayScenario } from "./replayScenario";

const scenarios = await loadScenarios();
let equal = 0;

describe("the devnet contract does what the deployed one did: outcomes, events in order, final state", () => {
  for (const scenario of scenarios) {
    test(`recorded scenario ${scenario.scenario}`, async () => {
      const plans: { recordedAt: number; head: number }[] = [];
      const differences = await replayScenario(scenario, {
        onPlan: async ({ client }, step) => {
          plans.push({ recordedAt: step.at, head: Number((await client.getBlock()).timestamp) });
        },
      });
      expect(differences).toEqual([]);
      // The hook promises the recorded block time: a plan depends on it.
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
