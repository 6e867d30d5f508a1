import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Decision, ether } from "../decide/decide";
import { daysText, feesText, notes, summary, table } from "./planText";

const GWEI_DECIMALS = 9;

/** The plan with what each transaction earns and costs at these prices, and the decision on it. For a dry run. */
export function decisionTable(readiness: RemitReadiness, decision: Decision, gasPrice: bigint): string {
  const sent = decision.action === "send" ? decision.count : 0;
  const rows = readiness.plan.transactions.map((transaction, index) => {
    const row = decision.rows[index];
    return [
      ...[
        String(index + 1),
        index < sent ? "send" : "-",
        daysText(transaction.closesDays),
        String(transaction.payments),
      ],
      ...[String(transaction.failures), transaction.gasUsed ?? "?", feesText(transaction.callerFees)],
      ...(row === undefined ? ["", "", "", ""] : [row.feesWei, row.costWei, row.netWei, row.cumulativeWei].map(short)),
    ];
  });
  const head = [
    "#",
    "",
    "closes",
    "payments",
    "failures",
    "gas",
    "earns",
    "fee ETH",
    "cost ETH",
    "net ETH",
    "cumulative ETH",
  ];
  const hidden = readiness.expectedTransactions - rows.length;
  return [
    ...[summary(readiness), ""],
    ...(rows.length > 0 ? [...table([head, ...rows]), ""] : []),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    `gas costs ${formatUnits(gasPrice, GWEI_DECIMALS)} gwei`,
    ...notes(readiness),
    `verdict: ${verdict(decision)}`,
  ].join("\n");
}

function verdict({ action, reason }: Decision): string {
  return `${action}: ${reason}`;
}

/** Ether with nine digits after the point: gwei, rounded down. */
function short(wei: bigint): string {
  const gwei = wei / 10n ** 9n;
  return ether(gwei * 10n ** 9n);
}
