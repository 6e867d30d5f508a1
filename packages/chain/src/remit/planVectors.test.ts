import { afterAll, describe, expect, test } from "bun:test";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import type { PlanStep } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { Value } from "@sinclair/typebox/value";
import type { Address } from "viem";
import { readHead } from "../block/readHead";
import { createChainClient } from "../client/createChainClient";
import { readRemitReadiness } from "./readRemitReadiness";
import { createRemitStateCache, type RemitStateCache } from "./state/createRemitStateCache";

const scenarios = await loadScenarios();
const recorded = scenarios.flatMap((scenario) => scenario.steps.filter((step) => step.op === "plan"));
const counts = { equal: 0, notEmpty: 0, blocked: 0, empty: 0 };

/** An answer in the terms of the record, gas left out: that is our own contract's. */
function inRecordedTerms(answer: RemitReadiness, { names }: ReplayContext) {
  const { plan, blockedBy, totalSubscriptions, nextUncheckedDay, currentDay } = answer;
  return {
    today: currentDay,
    nextUncheckedDay,
    dueSubscriptions: totalSubscriptions,
    end: plan.end,
    stop: plan.end === "caught_up" ? "6" : blockedBy?.revert.code,
    transactions: plan.transactions.map(({ closesDays, payments, failures, callerFees }) => ({
      closesDays,
      payments,
      failures,
      callerFees: Object.fromEntries(
        // The schema knows addresses as text; this one came from the chain.
        callerFees.map(({ token, amountRaw }) => [names.nameOf(token as Address), amountRaw]),
      ),
    })),
  };
}

function asRecorded(step: PlanStep) {
  return {
    today: step.today,
    nextUncheckedDay: step.nextUncheckedDay,
    dueSubscriptions: step.dueSubscriptions,
    end: step.stop === "6" ? ("caught_up" as const) : ("blocked" as const),
    stop: step.stop,
    transactions: step.transactions.map(({ days, payments, failures, callerFees }) => ({
      closesDays: days.filter(({ finished }) => finished).map(({ day }) => day),
      payments,
      failures,
      callerFees,
    })),
  };
}

describe("the served plan equals what the deployed protocol did, and the model's from what the chain's reads tell", () => {
  for (const scenario of scenarios) {
    test(`recorded scenario ${scenario.scenario}`, async () => {
      // One stateCache for the whole history: after its first plan it goes by the logs.
      let stateCache: RemitStateCache | undefined;
      const differences = await replayScenario(scenario, {
        onPlan: async (context, step) => {
          const { url, contract, keeper } = context;
          const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 10_000 });
          const block = await readHead(client);
          stateCache ??= createRemitStateCache(contract);
          const alarms: unknown[] = [];
          const answer = await readRemitReadiness(client, {
            ...{ contract, from: keeper, block, stateCache, model: "always" },
            onAlarm: (alarm) => alarms.push(alarm),
          });
          expect(alarms).toEqual([]);
          expect(inRecordedTerms(answer, context)).toEqual(asRecorded(step));
          expect([...Value.Errors(RemitReadiness, answer)]).toEqual([]);
          counts.equal++;
          const { plan } = answer;
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
