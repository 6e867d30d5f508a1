import { expect, test } from "bun:test";
import type { Scenario } from "@dueday/devnet/replay/scenario";
import type { NodeRow } from "./nodeRows";
import { type NodeResult, replayOnNode } from "./replayOnNode";

const TIMEOUT_MS = 1_800_000;
/** Of a few prepares, a node that fails at random may spoil one, although each call is sent up to five times. */
const PREPARES_FAILED = 0.02;

/** Declares the test of one kind of node. It prints a line with the figures, and one for each problem. */
export function testRow(row: NodeRow, scenarios: readonly Scenario[]): void {
  test(
    `${row.name}: every plan and event equals the record, and no wrong answer is served as right`,
    async () => {
      const results: NodeResult[] = [];
      for (const scenario of scenarios) results.push(await replayOnNode(row, scenario));
      print(row, results);
      expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
      for (const { plans, events, indexedAfterMs } of results) {
        expect([plans.equal, events.served]).toEqual([plans.recorded, events.recorded]);
        expect(indexedAfterMs).not.toBeNull();
      }
      const [sent, equal] = [
        total(results, ({ prepares }) => prepares.sent),
        total(results, ({ prepares }) => prepares.equal),
      ];
      expect(sent - equal).toBeLessThanOrEqual(Math.max(1, Math.floor(PREPARES_FAILED * sent)));
    },
    TIMEOUT_MS,
  );
}

function print({ name }: NodeRow, results: readonly NodeResult[]): void {
  const sum = (pick: (result: NodeResult) => number) => total(results, pick);
  const indexed = results.map(({ indexedAfterMs: ms }) => (ms === null ? "never" : `${(ms / 1_000).toFixed(1)} s`));
  const figures = [
    name,
    `plans ${sum(({ plans }) => plans.equal)} of ${sum(({ plans }) => plans.recorded)}`,
    `events ${sum(({ events }) => events.served)} of ${sum(({ events }) => events.recorded)}`,
    `prepares ${sum(({ prepares }) => prepares.equal)} of ${sum(({ prepares }) => prepares.sent)}`,
    `wrong ${sum(({ wrong }) => wrong.length)}`,
    `index after ${indexed.join(", ")}`,
    `${sum(({ calls }) => calls)} calls in ${sum(({ seconds }) => seconds).toFixed(0)} s`,
  ];
  console.log(figures.join(" | "));
  for (const problem of results.flatMap(({ wrong, problems }) => [...wrong, ...problems])) console.log(`  ${problem}`);
}

function total(results: readonly NodeResult[], pick: (result: NodeResult) => number): number {
  return results.reduce((sum, each) => sum + pick(each), 0);
}
