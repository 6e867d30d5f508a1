import type { Operations } from "@dueday/sdk";

export type ReminderKind = Operations["getPortalReminders"]["output"]["kinds"][number];

/** Reminders that a payer can choose. */
export const PAYER_KINDS = {
  will_fail: "A charge will fail: 7 and 2 days before, and when it is repaired",
  failed: "A charge has failed, or a plan has ended",
  coming_yearly: "A yearly charge comes within 7 days",
  coming: "Any other charge comes within 7 days",
  receipt: "A receipt for each payment",
} as const satisfies Partial<Record<ReminderKind, string>>;

/** Reminders that a seller can choose. */
export const SELLER_KINDS = {
  at_risk: "Charges of my plans that will fail",
  weekly_summary: "A summary of each week",
  subscriber_new: "A new subscriber",
  subscriber_left: "A subscriber has left",
  subscriber_failed: "A subscriber's charge has failed",
  subscriber_removed: "A subscriber was removed",
} as const satisfies Partial<Record<ReminderKind, string>>;

/** Chosen where no mailbox is stored yet: the defaults of the service. */
export const DEFAULT_KINDS: readonly ReminderKind[] = [
  "will_fail",
  "coming_yearly",
  "failed",
  "at_risk",
  "weekly_summary",
];
