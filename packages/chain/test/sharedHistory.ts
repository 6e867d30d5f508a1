import fc from "fast-check";
import type { Step } from "./randomHistory";

/** Providers pay others' plans, too: what they receive in a token is part of what they can pay with. */
export const PROVIDERS = ["provider1", "provider2"];
export const PAYERS = ["ann", "ben", "cem", ...PROVIDERS];

/** Some due days are shared by many plans, so that pages break and miss; some are apart. */
const dueDays = [
  [1, 2, 3, 6],
  [2, 3, 15, 28],
  [1, 61, 62, 90],
  [61, 62, 200, 365],
] as const;

const create = fc.constantFrom(0, 1, 1, 2, 3).chain((frequency) =>
  fc.record({
    op: fc.constant("create" as const),
    by: fc.constantFrom(...PROVIDERS),
    token: fc.constantFrom("T6", "T6", "T18"),
    frequency: fc.constant(frequency),
    dueDay: fc.constantFrom(...(dueDays[frequency] ?? [])),
    amount: fc.integer({ min: 1, max: 40 }),
  }),
);
const sub = fc.nat({ max: 9 });
const subscribe = fc.record({ op: fc.constant("subscribe" as const), sub, by: fc.constantFrom(...PAYERS) });
const leave = fc.record({ op: fc.constant("unsubscribe" as const), sub, by: fc.constantFrom(...PAYERS) });
const remit = fc.constant<Step>({ op: "remit" });
const warp = fc.record({ op: fc.constant("warp" as const), days: fc.integer({ min: 1, max: 20 }) });
/** From nothing over a few payments to more than a year's. */
const units = fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 600 }), fc.nat({ max: 6_000 }), fc.constant(1_000_000));
const fund = (who: string, token: string) =>
  fc.record({
    op: fc.constant("fund" as const),
    who: fc.constant(who),
    token: fc.constant(token),
    balance: units,
    allowance: units,
  });

/** Accounts that pay several plans with one allowance; some leave and return, and days are left open at the end. */
export const arbitrarySharedHistory: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.array(create, { minLength: 3, maxLength: 7 }),
    fc.array(subscribe, { minLength: 8, maxLength: 18 }),
    fc.array(fc.oneof(remit, remit, subscribe, leave, warp), { maxLength: 8 }),
    fc.tuple(...PAYERS.flatMap((who) => ["T6", "T18"].map((token) => fund(who, token)))),
    fc.nat({ max: 12 }),
  )
  .map(([limit, created, subscribed, later, funds, open]): Step[] => [
    { op: "maxRemits", limit },
    ...PAYERS.flatMap((who) =>
      ["T6", "T18"].map((token): Step => ({ op: "fund", who, token, balance: 1_000, allowance: 1_000 })),
    ),
    ...created,
    ...subscribed,
    ...later,
    ...funds,
    ...(open === 0 ? [] : [{ op: "warp" as const, days: open }]),
  ]);
