import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { createReminderFixture } from "./createReminderFixture";

/** A plan is charged on every seventh day, from its own offset on. */
const PERIOD_DAYS = 7;
const AHEAD_DAYS = 7;

type Person = { plans: Set<number>; charges: number };
/** A charge that will fail: who, of which plan, and the day of the chain. */
type Failing = { person: number; plan: number; day: number };

/**
 * A small model of payers and weekly plans. A payer has one balance for all plans, in charges; a charge without any left fails and ends the
 * membership. It decides what happens on each day, and what will fail, and does not know what is mailed.
 */
export function createReminderHistory(people: readonly number[], plans: readonly number[], random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  const state = new Map<number, Person>(people.map((person) => [person, { plans: new Set(), charges: below(4) }]));
  const isDue = (plan: number, day: number) => (day + plan) % PERIOD_DAYS === 0;

  /** What happens on a day before its charges. */
  function act(): { joined: [number, number][]; left: [number, number][] } {
    const joined: [number, number][] = [];
    const left: [number, number][] = [];
    for (const [number, person] of state) {
      const plan = plans[below(plans.length)] ?? 0;
      const chance = random();
      if (chance < 0.25) person.charges += 1 + below(2);
      else if (chance < 0.35) person.charges = 0;
      else if (chance < 0.6 && !person.plans.has(plan)) {
        person.plans.add(plan);
        joined.push([number, plan]);
      } else if (chance > 0.93 && person.plans.delete(plan)) left.push([number, plan]);
    }
    return { joined, left };
  }

  /** The charges of a day. */
  function charge(day: number): { paid: [number, number][]; failed: [number, number][] } {
    const paid: [number, number][] = [];
    const failed: [number, number][] = [];
    for (const plan of plans.filter((each) => isDue(each, day)))
      for (const [number, person] of state) {
        if (!person.plans.has(plan)) continue;
        if (person.charges > 0) {
          person.charges -= 1;
          paid.push([number, plan]);
        } else {
          person.plans.delete(plan);
          failed.push([number, plan]);
        }
      }
    return { paid, failed };
  }

  /** What fails in the days after `today`, as balances run down. */
  function foresee(today: number): Failing[] {
    const failing: Failing[] = [];
    for (const [number, person] of state) {
      let { charges } = person;
      const active = new Set(person.plans);
      for (let day = today + 1; day <= today + AHEAD_DAYS; day++)
        for (const plan of plans.filter((each) => isDue(each, day) && active.has(each))) {
          charges -= 1;
          if (charges >= 0) continue;
          active.delete(plan);
          failing.push({ person: number, plan, day });
        }
    }
    return failing;
  }

  return {
    act,
    charge,
    foresee,
    isMember: (person: number, plan: number) => state.get(person)?.plans.has(plan) === true,
    below,
  };
}

/** Mails that are expected, each as what it is about. They are computed from the model alone, day by day, and from nothing that the worker stores. */
export function createMailOracle(person: number) {
  const expected: string[] = [];
  /** What was warned of and is not over: the days that were left at the first warning, and whether there was a second. */
  const open = new Map<string, { daysLeft: number; isRepeated: boolean; membership: number }>();
  let isSubscribed = true;
  const memberships = new Map<number, number>();
  return {
    expected,
    unsubscribe(): void {
      isSubscribed = false;
    },
    noteJoined(plan: number): void {
      memberships.set(plan, (memberships.get(plan) ?? 0) + 1);
    },
    happened(kind: "receipt" | "failed", plan: number): void {
      if (isSubscribed) expected.push(`${kind} ${plan}`);
    },
    forecast(failing: readonly Failing[], today: number, isMember: (plan: number) => boolean): void {
      const own = failing.filter((each) => each.person === person);
      for (const [key, warned] of open) {
        if (own.some(({ plan, day }) => key === `${plan} ${day}`)) continue;
        open.delete(key);
        const plan = Number(key.split(" ")[0]);
        if (isSubscribed && isMember(plan) && memberships.get(plan) === warned.membership)
          expected.push(`cured ${plan}`);
      }
      for (const { plan, day } of own) {
        const daysLeft = day - today;
        const warned = open.get(`${plan} ${day}`);
        if (warned === undefined) {
          open.set(`${plan} ${day}`, { daysLeft, isRepeated: false, membership: memberships.get(plan) ?? 0 });
          if (isSubscribed) expected.push(`will_fail ${plan}`);
        } else if (!warned.isRepeated && warned.daysLeft > 2 && daysLeft <= 2) {
          warned.isRepeated = true;
          if (isSubscribed) expected.push(`will_fail ${plan}`);
        }
      }
    },
  };
}

/** The events of payments that will fail. */
export function failingEvents(
  { events }: Pick<ReturnType<typeof createReminderFixture>, "events">,
  block: number,
  failing: readonly Failing[],
): NewDomainEvent[] {
  return failing.map(({ person, plan, day }) => events.willFail(block, person, plan, day));
}
