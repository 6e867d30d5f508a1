import { formatInteger } from "../format/formatAmount";
import { Badge } from "./Badge";

/** What decides whether the next payments of a subscriber succeed. */
export type Coverage = { allowanceCovers: boolean; balanceCovers: boolean; coveredPayments: number };

/** Whether the next payment succeeds, and if not, why. The protocol checks the allowance first. */
export function CoverageBadge({ allowanceCovers, balanceCovers, coveredPayments }: Coverage) {
  if (!allowanceCovers) return <Badge tone="bad">fails: allowance too low</Badge>;
  if (!balanceCovers) return <Badge tone="bad">fails: balance too low</Badge>;
  if (coveredPayments === 1) return <Badge tone="warn">covered, but only one payment</Badge>;
  return <Badge tone="good">covered</Badge>;
}

/** Coverage counts no more payments than this. */
const MOST_COUNTED = 120;

/** How many payments are covered. */
export function formatRunway(payments: number): string {
  return payments >= MOST_COUNTED ? `${MOST_COUNTED} or more` : formatInteger(payments);
}
