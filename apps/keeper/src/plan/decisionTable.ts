import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Decision } from "../decide/decide";
import { daysText, feesText, notes, summary, table } from "./planText";

const GWEI_DECIMALS = 9;

/**
 * The plan with what each transaction earns and costs at these prices, and the decision on it. For a dry run: it fits a terminal of 80
 * columns, with amounts in gwei. Without any price, the fees are in their tokens.
 */
export function decisionTable(readiness: RemitReadiness, decision: Decision, gasPrice: bigint): string {
  const sent = decision.action === "send" ? decision.count : 0;
  const isPriced = decision.rows.some(({ feesWei }) => feesWei > 0n);
  const rows = readiness.plan.transactions.map((transaction, index) => {
    const { closesDays, payments, failures, callerFees } = transaction;
    const row = decision.rows[index];
    const paid = failures === 0 ? String(payments) : `${payments} (${failures})`;
    const start = [String(index + 1), index < sent ? "send" : "-", closed(closesDays), paid];
    if (row === undefined) return [...start, "", "", "", ""];
    if (!isPriced) return [...start, gwei(row.costWei), feesText(callerFees)];
    return [...start, ...[row.feesWei, row.costWei, row.netWei, row.cumulativeWei].map(gwei)];
  });
  const head = [
    "#",
    "",
    "closes",
    "payments",
    ...(isPriced ? ["fee", "cost", "net", "cumulative"] : ["cost", "earns"]),
  ];
  const hidden = readiness.expectedTransactions - rows.length;
  const { gasUsed, callerFees } = readiness.economics;
  return [
    summary(readiness),
    "",
    ...(rows.length > 0 ? [...table([head, ...rows]), ""] : []),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    "amounts in gwei (0.000000001 ETH); payments that will fail in parentheses",
    `gas ${gasUsed} at ${formatUnits(gasPrice, GWEI_DECIMALS)} gwei; earns ${feesText(callerFees)}`,
    ...notes(readiness),
    `verdict: ${decision.action}: ${decision.reason}`,
  ].join("\n");
}

/** The day that a transaction closes, or the number of days if it closes several. */
function closed(days: readonly number[]): string {
  return days.length <= 1 ? daysText(days) : `${days.length} days`;
}

/** Whole gwei, rounded toward zero. */
function gwei(wei: bigint): string {
  return String(wei / 10n ** BigInt(GWEI_DECIMALS));
}
