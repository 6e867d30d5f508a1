import type { CalendarDay } from "@dueday/core/schemas/dueCalendar";
import type { DueDay, SettledTotals } from "@dueday/core/snapshots/dueDay";

const NOTHING: CalendarDay["open"] = { payments: 0, byToken: [] };

/** The sums of a due day as a row of a calendar. */
export function presentCalendarDay({
  dayNumber,
  date,
  dayState,
  totals,
  settled,
  missed,
}: Omit<DueDay, "lists">): CalendarDay {
  const toCome = {
    payments: totals.payments,
    byToken: totals.byToken.map(({ subscriptions: _, ...amount }) => amount),
  };
  const isUpcoming = dayState === "upcoming";
  return {
    dayNumber,
    date,
    dayState,
    subscriptions: totals.subscriptions,
    open: isUpcoming ? NOTHING : toCome,
    upcoming: isUpcoming ? toCome : NOTHING,
    expectedFailures: totals.expectedFailures,
    settled: settled && madeOf(settled),
    failed: settled && failedOf(settled),
    missed: { payments: missed.payments, byToken: missed.byToken },
  };
}

function madeOf({ payments, failures, byToken }: SettledTotals): CalendarDay["open"] {
  const made = byToken.filter((token) => token.payments > token.failures);
  return {
    payments: payments - failures,
    byToken: made.map(({ failures: failed, failedAmount: _, failedAmountRaw: __, ...token }) => ({
      ...token,
      payments: token.payments - failed,
    })),
  };
}

function failedOf({ failures, byToken }: SettledTotals): CalendarDay["open"] {
  return {
    payments: failures,
    byToken: byToken
      .filter((token) => token.failures > 0)
      .map(({ token, symbol, tokenDecimals, failedAmount, failedAmountRaw, failures: payments }) => ({
        token,
        symbol,
        tokenDecimals,
        amount: failedAmount,
        amountRaw: failedAmountRaw,
        payments,
      })),
  };
}
