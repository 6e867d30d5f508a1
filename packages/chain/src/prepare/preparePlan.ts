import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import type { Issue, Warning } from "@dueday/core/errors";
import type { Refusal } from "@dueday/core/refusal";
import type { BatchCall } from "../simulate/simulateBatch";

/** One transaction of a plan. */
export type PlannedCall = BatchCall & {
  /** Its short name, such as `approve` or `subscribe`. */
  title: string;
  /** The only token that it moves: a simulation that fails names it. */
  token?: TokenInfo;
  /** Numbers of the protocol's reverts that no rule of `refusals` covers: only the simulation finds them. */
  unchecked?: readonly string[];
};

/** What a prepare operation read and checked, and the transactions to simulate. */
export type PreparePlan<F extends object> = {
  /** The operation's own part of `preflight`. */
  facts: F;
  /** What signing does, as `summaries` writes it. */
  summary: string;
  /** Rules that forbid the transaction, the most important first. If any does, nothing is simulated. */
  refusals: readonly Refusal[];
  warnings: readonly Warning[];
  /** Ways to the same end, the shortest first: the next is tried where an approve fails. */
  ways: readonly (readonly PlannedCall[])[];
  /** What to do once the transactions are confirmed. */
  afterwards?: string;
};

/** `preflight` of an answer: the plan's facts, and whether `refusals` forbid it. */
export function preflightOf<F extends object>(
  { facts, warnings }: Pick<PreparePlan<F>, "facts" | "warnings">,
  refusals: readonly Refusal[],
): { ready: boolean } & F & { issues: Issue[]; warnings: Warning[] } {
  const issues = refusals.map(({ issue }) => issue);
  return { ready: issues.length === 0, ...facts, issues, warnings: [...warnings] };
}
