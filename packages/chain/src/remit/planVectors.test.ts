import { afterAll, describe, expect, test } from "bun:test";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import type { PlanStep } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { readHead } from "../block/readHead";
import { createChainClient } from "../client/createChainClient";
import { planRemit, type SimulatedPlan } from "./planRemit";

const scenarios = await loadScenarios();
const recorded = scenarios.flatMap((scenario) => scenario.steps.filter((step) => step.op === "plan"));
const counts = { equal: 0, notEmpty: 0, blocked: 0, empty: 0 };

/** A plan in the terms of the record, gas left out: that is our own contract's. */
function inRecordedTerms(plan: SimulatedPlan, { names }: ReplayContext) {
  return {
    end: plan.end,
    stop: plan.end === "caught_up" ? "6" : plan.revert?.code,
    transactions: plan.transactions.map(({ closesDays, day, payments, failures, callerFees }) => ({
      closesDays,
      day,
      payments,
      failures,
      callerFees: Object.fromEntries(callerFees.map(({ token, units }) => [names.nameOf(token), units.toString()])),
    })),
  };
}

function asRecorded(step: PlanStep) {
  return {
    end: step.stop === "6" ? ("caught_up" as const) : ("blocked" as const),
    stop: step.stop,
    transactions: step.transactions.map(({ days, payments, failures, callerFees }) => ({
      closesDays: days.filter(({ finished }) => finished).map(({ day }) => day),
      day: days.at(-1)?.day ?? Number.NaN,
      payments,
      failures,
      callerFees,
    })),
  };
}

describe("the plan by simulation equals what the deployed protocol did", () => {
  for (const scenario of scenarios) {
    test(`recorded scenario ${scenario.scenario}`, async () => {
      const differences = await replayScenario(scenario, {
        onPlan: async (context, step) => {
          const { url, contract, keeper } = context;
          const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 10_000 });
          const plan = await planRemit(client, { contract, from: keeper, block: await readHead(client) });
          expect(inRecordedTerms(plan, context)).toEqual(asRecorded(step));
          counts.equal++;
          if (plan.transactions.length > 0) counts.notEmpty++;
          else counts.empty++;
          if (plan.end === "blocked") counts.blocked++;
        },
      });
      expect(differences).toEqual([]);
    });
  }

  test("every recorded plan is among them", () => expect(recorded.length).toBe(927));
});

afterAll(() => {
  const { equal, notEmpty, blocked, empty } = counts;
  console.log(
    `${equal}/${recorded.length} plans equal (${notEmpty} not empty, ${blocked} end blocked, ${empty} empty)`,
  );
});
