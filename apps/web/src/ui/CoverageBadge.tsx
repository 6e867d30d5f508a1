import { formatInteger } from "../format/formatAmount";
import { Badge } from "./Badge";

/** What decides whether the next payments of a subscriber succeed. */
export type Coverage = { coveredPayments: number; cause: "allowance" | "balance" | null };

/** Whether the next payment succeeds, and if not, why. The figures take all payments of the account in the token into account. */
export function CoverageBadge({ coveredPayments, cause }: Coverage) {
  const words = describeCoverage({ coveredPayments, cause });
  if (coveredPayments === 0) return <Badge tone={cause === null ? "neutral" : "bad"}>{words}</Badge>;
  return <Badge tone={coveredPayments === 1 && cause !== null ? "warn" : "good"}>{words}</Badge>;
}

/** The words of the badge. */
export function describeCoverage({ coveredPayments, cause }: Coverage): string {
  if (coveredPayments === 0) return cause === null ? "no payment is coming" : `fails: ${cause} too low`;
  return coveredPayments === 1 && cause !== null ? "covered, but only one payment" : "covered";
}

/** Why nothing is charged where the reason is not the coverage; null where the coverage decides. */
export function describeHindrance(hindrance: "token_paused" | "token_refuses" | null): string | null {
  if (hindrance === "token_paused") return "token paused: nothing is charged";
  return hindrance === "token_refuses" ? "the token refuses this transfer" : null;
}

/** The service counts covered payments up to this number. */
const MOST_COUNTED = 120;

/** How many payments are covered. */
export function formatRunway(payments: number): string {
  return payments >= MOST_COUNTED ? `${MOST_COUNTED} or more` : formatInteger(payments);
}
