import type { Frequency } from "@dueday/core/calendar/frequency";
import fc from "fast-check";
import type { PlainLog, PlainPlan, PlainTransaction } from "./factsOfLogs";

const TOKENS = [
  { token: "T6", decimals: 6 },
  { token: "T18", decimals: 18 },
  { token: "T24", decimals: 24 },
] as const;
const MEMBERS = ["ann", "ben", "cem", "dora"];

/** A plan by its name `plan <index>`, and blocks of transactions, whose days never decrease. */
export type MembershipHistory = { plans: ReadonlyMap<string, PlainPlan>; blocks: PlainTransaction[][] };

type Step = { plan: number; member: string; action: Action; wait: number; sameBlock: boolean; rest: boolean };
const actions = [
  ...(["subscribe", "subscribe", "charge", "charge", "topUp", "leave", "remove", "fail"] as const),
  ...(["cancel", "cleanUp", "leaveAsStranger"] as const),
];
type Action = (typeof actions)[number];

const plan = fc.record({
  provider: fc.constantFrom("provider 1", "provider 2"),
  token: fc.constantFrom(...TOKENS),
  amount: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  frequency: fc.constantFrom<Frequency>(0, 1, 2, 3),
});
const step: fc.Arbitrary<Step> = fc.record({
  plan: fc.nat({ max: 3 }),
  member: fc.constantFrom(...MEMBERS),
  action: fc.constantFrom(...actions),
  wait: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 70 }) }),
  sameBlock: fc.boolean(),
  rest: fc.boolean(),
});

/**
 * Histories that the contract allows, of a few plans and members: a step in which a member subscribes or leaves twice, or pays for a
 * cancelled plan, is left out. The logs of each action are in the contract's order (protocol parts 4 and 5).
 *
 * @param firstDay day number on which the plans are created
 */
export function arbitraryMemberships(firstDay: number): fc.Arbitrary<MembershipHistory> {
  return fc
    .tuple(fc.array(plan, { minLength: 1, maxLength: 4 }), fc.array(step, { minLength: 5, maxLength: 40 }))
    .map(([given, steps]) => play(given, steps, firstDay));
}

function play(
  given: readonly { provider: string; token: (typeof TOKENS)[number]; amount: bigint; frequency: Frequency }[],
  steps: readonly Step[],
  firstDay: number,
): MembershipHistory {
  const plans = new Map<string, PlainPlan>(
    given.map(({ token, ...terms }, index) => [`plan ${index}`, { ...terms, ...token }]),
  );
  const creations = [...plans].map(
    ([id, { amount }]): PlainLog => ({ name: "Create", id, subscriber: "zero", amount }),
  );
  const blocks: PlainTransaction[][] = [[{ day: firstDay, logs: creations }]];
  const active = new Map([...plans.keys()].map((id) => [id, new Set<string>()]));
  const cancelled = new Set<string>();
  const known = new Set<string>();
  let day = firstDay;
  for (const step of steps) {
    const id = `plan ${step.plan % plans.size}`;
    const logs = logsOf(id, step);
    if (logs.length === 0) continue;
    day += step.sameBlock ? 0 : step.wait;
    if (step.sameBlock) blocks.at(-1)?.push({ day, logs });
    else blocks.push([{ day, logs }]);
  }
  return { plans, blocks };

  function logsOf(id: string, { member, action, rest }: Step): PlainLog[] {
    const { amount = 0n } = plans.get(id) ?? {};
    const members = active.get(id) ?? new Set();
    const log = (name: PlainLog["name"], of = amount): PlainLog => ({ name, id, subscriber: member, amount: of });
    const isOpen = !cancelled.has(id);
    const isMember = members.has(member);
    const left = () => void members.delete(member);
    switch (action) {
      case "subscribe":
        if (isMember || !isOpen) return [];
        members.add(member);
        known.add(`${id} ${member}`);
        return [log("Subscribed"), log("FeeFill", amount / 4n), ...(rest ? [log("ProviderPaid", amount / 3n)] : [])];
      case "charge":
        return isMember && isOpen ? [log("Coordinates"), log("SubscriberPaid"), log("ProviderPaid")] : [];
      case "topUp":
        if (!isMember || !isOpen) return [];
        return [log("Coordinates"), log("FeeFill"), ...(rest ? [log("ProviderPaid", amount / 2n)] : [])];
      case "leave":
        if (!isMember) return [];
        left();
        return [log("Unsubscribed"), log("ProviderRefund", amount / 5n)];
      case "remove":
        if (!isMember) return [];
        left();
        return [log("Unsubscribed")];
      case "fail":
        if (!isMember || !isOpen) return [];
        left();
        return [
          ...(rest ? [log("ProviderRefund", amount / 7n)] : []),
          log("Unsubscribed"),
          log("Failed", 0n),
          log("Coordinates"),
        ];
      case "cancel":
        if (!isOpen) return [];
        cancelled.add(id);
        return [{ name: "Cancel", id, subscriber: "zero", amount: 0n }];
      case "cleanUp":
        if (isOpen || !isMember) return [];
        left();
        return [log("Unsubscribed"), log("SubscriberRefund")];
      case "leaveAsStranger":
        if (known.has(`${id} ${member}`)) return [];
        known.add(`${id} ${member}`);
        return [log("Unsubscribed"), log("ProviderRefund", 0n)];
    }
  }
}
