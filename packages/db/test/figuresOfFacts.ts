import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { monthOfDay } from "@dueday/core/calendar/months";
import type { Fact, PlainPlan } from "./factsOfLogs";

const CHARGES_A_YEAR = [52n, 12n, 4n, 1n] as const;

const kinds = ["new", "reactivated", "left", "failed", "removed"] as const;
const signs = { new: 1, reactivated: 1, left: -1, failed: -1, removed: -1 } as const;

/** The figures of one token in one period, by adding up every fact: counts, revenue in twelfths of token units, and money. */
export function figuresOfFacts(
  facts: readonly Fact[],
  plans: ReadonlyMap<string, PlainPlan>,
  { start, end }: { start: number; end: number },
) {
  const revenueOf = ({ id }: Fact) => {
    const plan = plans.get(id);
    if (plan === undefined) throw new Error(`${id} was never created`);
    return toTokenUnits(plan.amount, plan.decimals) * CHARGES_A_YEAR[plan.frequency];
  };
  const within = facts.filter(({ day }) => day >= start && day <= end);
  const moved = (of: readonly Fact[]) =>
    of.reduce(
      (sum, fact) => {
        const sign = fact.kind === undefined ? 0 : signs[fact.kind];
        return { active: sum.active + sign, mrr: sum.mrr + BigInt(sign) * revenueOf(fact) };
      },
      { active: 0, mrr: 0n },
    );
  const [before, after] = [moved(facts.filter(({ day }) => day < start)), moved(facts.filter(({ day }) => day <= end))];
  const ofKind = (kind: Fact["kind"]) => within.filter((fact) => fact.kind === kind);
  return {
    activeStart: before.active,
    counts: Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind).length])),
    activeEnd: after.active,
    mrrStart: before.mrr,
    mrr: Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind).reduce((sum, fact) => sum + revenueOf(fact), 0n)])),
    mrrEnd: after.mrr,
    charged: within.reduce((sum, { charged }) => sum + charged, 0n),
    net: within.reduce((sum, { net }) => sum + net, 0n),
    failures: within.filter(({ isFailure }) => isFailure).length,
    /** Whether a row has nothing to state: no members, movements, charges, failures or money. */
    isEmpty:
      before.active === 0 &&
      within.every(({ kind, isCharge, isFailure, net }) => !kind && !isCharge && !isFailure && net === 0n),
  };
}

/** The cohorts of one token: by the month of the first charge and each month up to `lastMonth`, the active members and what they paid. */
export function cohortsOfFacts(facts: readonly Fact[], lastMonth: number) {
  const memberOf = ({ id, subscriber }: Fact) => `${id} ${subscriber}`;
  const cohorts = new Map<string, number>();
  for (const fact of facts) if (fact.kind === "new") cohorts.set(memberOf(fact), monthOfDay(fact.day));
  return [...new Set(cohorts.values())]
    .sort((a, b) => a - b)
    .flatMap((cohort) => {
      const own = facts.filter((fact) => cohorts.get(memberOf(fact)) === cohort);
      return Array.from({ length: lastMonth - cohort + 1 }, (_, after) => {
        const month = cohort + after;
        const upTo = own.filter(({ day }) => monthOfDay(day) <= month);
        return {
          cohort,
          month,
          joined: own.filter(({ kind }) => kind === "new").length,
          active: upTo.reduce((sum, { kind }) => sum + (kind === undefined ? 0 : signs[kind]), 0),
          paid: own.reduce((sum, { day, charged }) => (monthOfDay(day) === month ? sum + charged : sum), 0n),
        };
      });
    });
}
