import { expect, test } from "bun:test";
import { applyStep } from "@dueday/core/test/history/applyStep";
import { finalState } from "@dueday/core/test/history/finalState";
import { startHistory } from "@dueday/core/test/history/history";
import { nameOf, toRemitState } from "@dueday/core/test/history/remitting";
import { loadScenarios } from "@dueday/devnet/replay/loadScenarios";
import type { Plan, PlannedTransaction } from "./plan";
import { planRemit } from "./planRemit";

test("the model's plan is the recorded one, and every recorded step happens as recorded, event by event", async () => {
  const counts = { plans: 0, remits: 0, reverts: 0, others: 0 };
  for (const scenario of await loadScenarios()) {
    let history = startHistory(scenario);
    for (const [index, step] of scenario.steps.entries()) {
      const where = `scenario ${scenario.scenario}, step ${index} (${step.op})`;
      const { history: after, logs, revert } = applyStep(history, step);
      history = after;
      if (step.op === "plan") {
        const plan = planRemit(toRemitState(history, "keeper"));
        expect(describePlan(plan), where).toEqual({
          stop: step.stop,
          transactions: step.transactions.map(({ gasUsed, ...transaction }) => transaction),
        });
        expect(plan.end, where).toBe(step.stop === "6" ? "caught_up" : "blocked");
        counts.plans++;
      } else if ("ok" in step) {
        expect({ logs, revert }, where).toEqual(
          step.ok ? { logs: step.logs, revert: undefined } : { logs: undefined, revert: step.revert },
        );
        if (!step.ok) counts.reverts++;
        else if (step.op === "remit") counts.remits++;
        else counts.others++;
      }
    }
    const accounts = Object.entries(scenario.final.accounts).filter(
      ([, { subscribedTo, created }]) => subscribedTo.length + created.length > 0,
    );
    expect(finalState(history), `scenario ${scenario.scenario}, end`).toEqual({
      ...scenario.final,
      accounts: Object.fromEntries(accounts),
    });
  }
  console.log(
    `${counts.plans}/927 plans, ${counts.remits}/924 remits, ${counts.others} other steps, ${counts.reverts} reverts as recorded`,
  );
  expect(counts).toMatchObject({ plans: 927, remits: 924 });
});

function describePlan({ transactions, revert }: Plan) {
  return { stop: revert?.code ?? "6", transactions: transactions.map(describeTransaction) };
}

function describeTransaction({ closesDays, day, payments, failures, callerFees }: PlannedTransaction) {
  const days = closesDays.map((closed) => ({ day: closed, finished: true }));
  return {
    days: closesDays.includes(day) ? days : [...days, { day, finished: false }],
    payments,
    failures,
    callerFees: Object.fromEntries(callerFees.map(({ token, units }) => [nameOf(token), units.toString()])),
  };
}
