import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { Frequency } from "@dueday/core/calendar/frequency";
import { type SubLogName, subLogCode } from "@dueday/core/events/subLogEvents";

/** A SubLog by its name, or a `Coordinates`. Amounts have 18 decimals; ids, accounts and tokens have any names. */
export type PlainLog = { name: SubLogName | "Coordinates"; id: string; subscriber: string; amount: bigint };

/** The logs of one transaction, in order. */
export type PlainTransaction = { day: number; logs: readonly PlainLog[] };

export type PlainPlan = { provider: string; token: string; decimals: number; amount: bigint; frequency: Frequency };

/** What one log means for the figures of its plan; `kind` where it begins or ends a membership. Amounts are in token units. */
export type Fact = {
  id: string;
  subscriber: string;
  day: number;
  kind?: "new" | "reactivated" | "left" | "failed" | "removed";
  /** A charge, also one of 0. */
  isCharge?: true;
  isFailure?: true;
  charged: bigint;
  net: bigint;
};

const PARTS = [1n, 4n, 12n, 12n] as const;

/** Reads the logs of a whole chain one after the other, holding all state in memory: what the index has to agree with. */
export function factsOfLogs(transactions: readonly PlainTransaction[], plans: ReadonlyMap<string, PlainPlan>): Fact[] {
  const facts: Fact[] = [];
  const active = new Map<string, Set<string>>();
  const everJoined = new Set<string>();
  for (const { day, logs } of transactions) {
    for (const [index, log] of logs.entries()) {
      const { id, subscriber, amount, name } = log;
      const plan = plans.get(id);
      if (plan === undefined) throw new Error(`${id} was never created`);
      const units = (of: bigint) => toTokenUnits(of, plan.decimals);
      const neighbour = (step: 1 | -1) => {
        const other = logs[index + step];
        return other?.id === id && other.subscriber === subscriber ? other : undefined;
      };
      const note = (more: Partial<Fact>) => void facts.push({ id, subscriber, day, charged: 0n, net: 0n, ...more });
      const members = active.get(id) ?? new Set();
      active.set(id, members);
      if (name === "Subscribed") {
        note({ kind: everJoined.has(`${id} ${subscriber}`) ? "reactivated" : "new" });
        everJoined.add(`${id} ${subscriber}`);
        members.add(subscriber);
      } else if (name === "Unsubscribed" && members.delete(subscriber)) {
        const reasons: Partial<Record<PlainLog["name"], Fact["kind"]>> = { Failed: "failed", ProviderRefund: "left" };
        note({ kind: reasons[neighbour(1)?.name ?? "Create"] ?? "removed" });
      } else if (name === "Cancel") {
        for (const member of members) note({ subscriber: member, kind: "removed" });
        members.clear();
      } else if (name === "SubscriberPaid") note({ isCharge: true, charged: units(amount), net: units(amount) });
      else if (name === "FeeFill") {
        const after = neighbour(1);
        const rest = after?.name === "ProviderPaid" ? units(after.amount) : 0n;
        const isInitial = neighbour(-1)?.name === "Subscribed";
        const fill = units(isInitial ? amount : amount / PARTS[plan.frequency]);
        note({ isCharge: true, charged: fill + rest, net: rest });
      } else if (name === "ProviderRefund") note({ net: units(amount) });
      else if (name === "Failed") note({ isFailure: true });
    }
  }
  return facts;
}

/** The name of a SubLog's code. */
export function nameOfCode(code: number): SubLogName {
  const found = Object.entries(subLogCode).find(([, value]) => value === code);
  if (found === undefined) throw new Error(`no SubLog has the code ${code}`);
  return found[0] as SubLogName; // a key of the table
}
