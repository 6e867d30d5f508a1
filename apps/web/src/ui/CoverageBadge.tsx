import { formatInteger } from "../format/formatAmount";
import { Badge } from "./Badge";

/** What decides whether the next payments of a subscriber succeed. */
export type Coverage = { coveredPayments: number; cause: "allowance" | "balance" | null };

/** Whether the next payment succeeds, and if not, why. The figures count all that the account pays in the token. */
export function CoverageBadge({ coveredPayments, cause }: Coverage) {
  if (coveredPayments === 0) {
    if (cause === null) return <Badge>no payment is coming</Badge>;
    return <Badge tone="bad">fails: {cause} too low</Badge>;
  }
  if (coveredPayments === 1 && cause !== null) return <Badge tone="warn">covered, but only one payment</Badge>;
  return <Badge tone="good">covered</Badge>;
}

/** Coverage counts no more payments than this. */
const MOST_COUNTED = 120;

/** How many payments are covered. */
export function formatRunway(payments: number): string {
  return payments >= MOST_COUNTED ? `${MOST_COUNTED} or more` : formatInteger(payments);
}
