import { type Static, Type } from "@sinclair/typebox";

/** What an account can be reminded of by e-mail, as a payer and as a seller. */
export const reminderKinds = [
  ...(["will_fail", "coming_yearly", "coming", "failed", "receipt"] as const),
  ...(["subscriber_new", "subscriber_left", "subscriber_failed", "subscriber_removed"] as const),
  ...(["at_risk", "weekly_summary"] as const),
] as const;

export const ReminderKind = Type.Union(
  reminderKinds.map((kind) => Type.Literal(kind)),
  {
    description:
      "For payers: will_fail: a charge that will fail, 7 and 2 days before, and when it is cured; coming_yearly: a coming charge of a yearly plan, 7 days before; " +
      "coming: the same for other plans; failed: a charge that failed, a plan that ended; receipt: each payment. For sellers: subscriber_new, subscriber_left, subscriber_failed, " +
      "subscriber_removed; at_risk: charges of a plan that will fail; weekly_summary",
  },
);
export type ReminderKind = Static<typeof ReminderKind>;

/** The kinds that are on by default. */
export const DEFAULT_KINDS: readonly ReminderKind[] = [
  "will_fail",
  "coming_yearly",
  "failed",
  "at_risk",
  "weekly_summary",
];
