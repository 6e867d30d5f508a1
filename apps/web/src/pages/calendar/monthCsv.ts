import { toCsv } from "../../lists/toCsv";
import { cleanText } from "../../ui/UntrustedText";
import type { CalendarDay } from "./countsOf";

type Sum = CalendarDay["open"]["byToken"][number];
/** What happens on a day in one token. */
type Row = Sum & { date: string | null; state: string };

const STATES = ["open", "upcoming", "settled", "failed", "missed"] as const;

/** A month as a CSV file: a row for each day, state and token. */
export function monthCsv(days: readonly CalendarDay[]): string {
  const rows = days.flatMap((day) =>
    STATES.flatMap((state) => (day[state]?.byToken ?? []).map((sum): Row => ({ ...sum, date: day.date, state }))),
  );
  return toCsv(
    [
      {
        values: {
          Date: ({ date }) => date ?? "",
          State: ({ state }) => state,
          Payments: ({ payments }) => String(payments),
          Amount: ({ amount }) => amount,
          Symbol: ({ symbol }) => cleanText(symbol),
          Token: ({ token }) => token,
        },
      },
    ],
    rows,
  );
}
