import { dayToDate } from "@dueday/core/calendar/dates";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { cleanText } from "@dueday/core/text/cleanText";

type TokenSum = { amount: string; symbol: string };

/** Amounts as `0.3 USDC + 1 DAI`. Symbols are untrusted text: control characters are replaced and long ones cut. */
export function feesText(fees: readonly TokenSum[]): string {
  if (fees.length === 0) return "nothing";
  return fees.map(({ amount, symbol }) => `${amount} ${safe(symbol, 24)}`).join(" + ");
}

/** Day numbers as dates; a long run is shortened to its ends. */
export function daysText(days: readonly number[]): string {
  const names = days.map((day) => dayToDate(day) ?? `day ${day}`);
  if (names.length <= 3) return names.length === 0 ? "-" : names.join(" ");
  return `${names[0]} .. ${names.at(-1)} (${names.length} days)`;
}

/** What the plan warns about, a line each. */
export function notes({ missed, issues, warnings }: RemitReadiness): string[] {
  return [...missed.map(missedLine), ...[...issues, ...warnings].map(({ message }) => `note: ${safe(message, 300)}`)];
}

/** The state of the backlog in one line. */
export function summary(plan: RemitReadiness): string {
  const from = daysText([plan.nextUncheckedDay]);
  if (plan.reason === "caught_up") return `caught up: every day up to ${daysText([plan.currentDay])} is settled`;
  if (plan.reason === "nothing_due") return `nothing due from ${from} to ${daysText([plan.currentDay])}`;
  if (plan.reason === "blocked") {
    const { revert, token } = plan.blockedBy ?? {};
    const by = token === undefined ? "" : ` by the token ${token}`;
    return `blocked at ${from}${by}: ${safe(revert?.message ?? "the next remit() changes nothing", 300)}`;
  }
  const { expectedTransactions, totalPayments, expectedFailures } = plan;
  const atLeast = plan.plan.complete ? "" : "at least ";
  return `due since ${from}: ${atLeast}${totalPayments} payments (${expectedFailures} will fail) in ${atLeast}${expectedTransactions} transactions`;
}

function missedLine({ id, dayNumber, subscribers }: RemitReadiness["missed"][number]): string {
  return `missed: ${id} on ${daysText([dayNumber])}, ${subscribers} subscribers will not be charged`;
}

/** Rows as lines, in columns. */
export function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function safe(text: string, limitBytes: number): string {
  return cleanText(text, limitBytes).text;
}
