import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { subLogEvents } from "@dueday/core/events/subLogEvents";
import { type Fact, factsOfLogs, type PlainLog, type PlainPlan } from "@dueday/db/test/factsOfLogs";
import type { RecordedLog } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";

export type ScenarioFacts = {
  plans: ReadonlyMap<string, PlainPlan>;
  facts: Fact[];
  days: { start: number; end: number };
};

/** The logs of the protocol in a recorded transaction, without Transfers, for the facts that follow from them. */
function plainLogs(logs: readonly RecordedLog[]): PlainLog[] {
  return logs.flatMap(({ event, id, subscriber, amount, subScriptEvent }): PlainLog[] => {
    const found = subLogEvents.find(({ contractName }) => contractName === subScriptEvent);
    if (event === "Coordinates") return [{ name: event, id: String(id), subscriber: "", amount: 0n }];
    if (event !== "SubLog" || found === undefined) return [];
    return [{ name: found.name, id: String(id), subscriber: String(subscriber), amount: BigInt(String(amount)) }];
  });
}

/** The plans of a scenario, what all its logs mean, and the days from its first to its last step. Everything by name. */
export function readFacts({ scenario }: ReplayContext): ScenarioFacts {
  const plans = new Map<string, PlainPlan>();
  const transactions = scenario.steps.flatMap((step) => {
    if (!("logs" in step)) return [];
    if (step.op === "createSubscription" && step.as !== undefined) {
      const { by: provider, token, amount, frequency } = step;
      const decimals = scenario.tokens[token]?.decimals ?? 18;
      plans.set(step.as, { provider, token, decimals, amount: BigInt(amount), frequency: toFrequency(frequency) });
    }
    return [{ day: dayNumber(step.at), logs: plainLogs(step.logs) }];
  });
  const days = scenario.steps.flatMap((step) => ("at" in step ? [dayNumber(step.at)] : []));
  return { plans, facts: factsOfLogs(transactions, plans), days: { start: Math.min(...days), end: Math.max(...days) } };
}
