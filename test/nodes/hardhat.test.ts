import { expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import type { TestApi } from "@dueday/api/test/startTestApi";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import { replayScenario } from "@dueday/devnet/replay/replayScenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { testDepth } from "@dueday/test-support/testDepth";
import { compareHistory } from "../recorded/compareHistory";
import { createPlanComparison } from "../recorded/comparePlan";
import { compareReads } from "../recorded/compareReads";
import { createReplayIndex } from "../recorded/createReplayIndex";
import { startHardhat } from "./startHardhat";

// Hardhat's node (EDR) has neither eth_simulateV1 nor eth_createAccessList.

const NO_NODE = "http://127.0.0.1:1";
const TIMEOUT_MS = 180_000;
/** Blocked addresses, paging, strangers and a token of 24 decimals are in the scenarios from 200 on. */
const EACH = testDepth > 1 ? 1 : 24;

/** Answers of a prepare that are the service's own: transactions, a rule that forbids them, or a revert of the chain. */
const ANSWERED = [200, 409, 422];

const index = await createReplayIndex();
const prepares = { asked: 0, answered: 0 };

async function prepareEverything(api: TestApi, { scenario, names }: ReplayContext): Promise<void> {
  const [subscriber] = scenario.accounts.filter((name) => name.startsWith("subscriber"));
  if (subscriber === undefined) throw new Error("the scenario has no subscriber");
  const from = names.addressOf(subscriber);
  const bodies: [string, object][] = [["remit", { from: names.addressOf("keeper") }]];
  for (const [name, { provider }] of Object.entries(scenario.final.subscriptions)) {
    const id = names.hexOf(name);
    bodies.push(["subscribe_by_id", { from, id }], ["unsubscribe_by_id", { from, id }]);
    bodies.push(["cancel_subscription_by_id", { from: names.addressOf(provider), id }]);
  }
  for (const [operation, body] of bodies) {
    const { status } = await callApi(api, `/prepare/${operation}`, { method: "POST", body });
    prepares.asked++;
    if (ANSWERED.includes(status)) prepares.answered++;
  }
}

const scenarios = (await loadScenarios()).filter((_, place) => place % EACH === 0);
for (const scenario of scenarios) {
  test(
    `Hardhat's node: events, plans, reads and history of recorded scenario ${scenario.scenario} equal the record`,
    async () => {
      const comparePlan = createPlanComparison();
      let plans = 0;
      const differences = await replayScenario(scenario, {
        startNode: startHardhat,
        async onPlan(context, step) {
          await comparePlan(context, step);
          plans++;
        },
        async onFinal(context) {
          await index.fill(context);
          await index.serve(context, { rpcUrl: context.url }, async (api) => {
            await compareReads(api, context);
            await prepareEverything(api, context);
          });
          await index.serve(context, { rpcUrl: NO_NODE }, (api) => compareHistory(api, context));
        },
      });
      expect(differences).toEqual([]);
      expect(plans).toBe(scenario.steps.filter(({ op }) => op === "plan").length);
    },
    TIMEOUT_MS,
  );
}

test("Hardhat's node: at least 98 % of all prepares are answered", () => {
  expect(prepares.asked).toBeGreaterThan(20);
  expect(prepares.answered / prepares.asked).toBeGreaterThanOrEqual(0.98);
});
