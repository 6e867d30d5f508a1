import { expect, test } from "bun:test";
import { applyStep } from "../../test/history/applyStep";
import { startHistory } from "../../test/history/history";
import { readScenarios } from "../../test/history/readScenarios";
import { toRemitState } from "../../test/history/remitting";
import type { RemitEvent } from "./events";
import { type Coordinates, nextCheckpoint } from "./nextCheckpoint";
import { planRemit } from "./planRemit";
import type { RemitState } from "./state";
import { stateAfterRemits } from "./stateAfterRemits";

test("the checkpoint of every page break in the recordings follows from its events", async () => {
  const counts = { steps: 0, planned: 0, otherIds: 0 };
  for (const scenario of await readScenarios()) {
    let history = startHistory(scenario);
    let pages: Coordinates[][] = [];
    for (const [index, step] of scenario.steps.entries()) {
      const where = `scenario ${scenario.scenario}, step ${index} (${step.op})`;
      const before = toRemitState({ ...history, today: "at" in step ? Math.floor(step.at / 86_400) : 0 }, "keeper");
      history = applyStep(history, step).history;
      const isRemit = step.op === "remit" && step.ok;
      if (!isRemit && step.op !== "plan") continue;
      const plan = planRemit(before, { withEvents: true, ...(isRemit && { maxTransactions: 1 }) });
      let planned = pages;
      for (const [transaction, events] of plan.events.entries()) {
        planned = nextPages(planned, events);
        if (planned.length === 0) continue;
        const after = stateAfterRemits(before, transaction + 1);
        expect(nextCheckpoint(after, planned), where).toEqual(after.checkpoint);
        counts[isRemit ? "steps" : "planned"]++;
        if (after.checkpoint?.id !== planned.at(-1)?.at(-1)?.id) counts.otherIds++;
      }
      if (isRemit) pages = planned;
    }
  }
  console.log(`${counts.steps} recorded page breaks, ${counts.planned} planned ones, ${counts.otherIds} at another id`);
  expect(counts.steps).toBeGreaterThan(100);
  expect(counts.otherIds).toBeGreaterThan(8);
});

function nextPages(pages: Coordinates[][], events: RemitEvent[]): Coordinates[][] {
  const end = events.at(-1);
  if (end?.event !== "CallerLog" || end.isFinished) return [];
  const page = events.filter((event) => event.event === "Coordinates");
  return [...pages, page.filter(({ nextUncheckedDay }) => nextUncheckedDay === end.checkedDay)];
}

test("with maxRemits 0 nothing is handled, and the checkpoint is the first entry that can be charged", async () => {
  const [scenario] = await readScenarios();
  if (scenario === undefined) throw new Error("no scenario");
  let history = startHistory(scenario);
  let breaks = 0;
  for (const step of scenario.steps) {
    history = applyStep(history, step).history;
    const state: RemitState = { ...toRemitState(history, "keeper"), maxRemits: 0, checkpoint: null };
    if (planRemit(state).end !== "no_progress") continue;
    const stuck = stateAfterRemits(state, planRemit(state).transactions.length + 1);
    expect(nextCheckpoint(stuck, [[]])).toEqual(stuck.checkpoint);
    breaks++;
  }
  expect(breaks).toBeGreaterThan(0);
});
