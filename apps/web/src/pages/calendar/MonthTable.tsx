import { Link } from "@tanstack/react-router";
import type { PaymentFilter } from "../../filter/paymentFilter";
import { formatAmount, formatInteger } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { cleanText } from "../../ui/UntrustedText";
import { amountsOf, type CalendarDay, countNames, countsOf } from "./countsOf";
import classes from "./MonthTable.module.css";
import { weeksOf } from "./monthOf";

export type MonthTableProps = {
  month: string;
  days: readonly CalendarDay[];
  today: string | undefined;
  selected: string | undefined;
  /** Kept in the address when a day is opened. */
  filter: PaymentFilter;
};

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The month as weeks. Each day with payments names how many are open, to come, expected to fail, settled, failed and missed. */
export function MonthTable({ month, days, today, selected, filter }: MonthTableProps) {
  return (
    <>
      <table className={classes.month} aria-label={`Due days of ${formatDate(month, "month")}`}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(days).map((week, row) => (
            <tr key={week.find((day) => day !== null)?.date ?? row}>
              {week.map((day, column) => (
                <td key={day?.date ?? `${row} ${column}`} className={day === null ? classes.outside : undefined}>
                  {day !== null && (
                    <DayCell
                      day={day}
                      isToday={day.date === today}
                      isSelected={day.date === selected}
                      filter={filter}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul className={classes.legend} aria-hidden="true">
        {countNames.map(([key, name, sign]) => (
          <li key={key} className={classes[key]}>
            {sign} {name}
          </li>
        ))}
      </ul>
    </>
  );
}

const SYMBOL_CHARACTERS = 8;

type DayCellProps = { day: CalendarDay; isToday: boolean; isSelected: boolean; filter: PaymentFilter };

function DayCell({ day, isToday, isSelected, filter }: DayCellProps) {
  const { date } = day;
  if (date === null) return null;
  const counts = countsOf(day);
  const amounts = amountsOf(day);
  return (
    <Link
      to="/calendar"
      search={{ ...filter, month: date.slice(0, 7), day: date }}
      className={`${classes.day} ${isSelected ? classes.selected : ""}`}
      aria-current={isToday ? "date" : undefined}
      resetScroll={false}
    >
      <span className={isToday ? classes.today : classes.number}>
        {Number(date.slice(8))}
        <span className={classes.unseen}> {formatDate(date.slice(0, 7), "month")}</span>
      </span>
      <span className={classes.counts}>
        {counts.map(({ key, name, sign, count }) => (
          <span key={key} className={`${classes.count} ${classes[key]}`}>
            <span className={classes.sign} aria-hidden="true">
              {sign}
            </span>
            {formatInteger(count)} <span className={classes.name}>{name}</span>
          </span>
        ))}
      </span>
      <span className={classes.amounts}>
        {amounts.slice(0, 2).map(({ token, amount, symbol }, index) => (
          <span key={`${token} ${String(index)}`}>
            {formatAmount(amount, 2)} {cleanText(symbol, SYMBOL_CHARACTERS)}
          </span>
        ))}
        {amounts.length > 2 && <span>and {amounts.length - 2} more</span>}
      </span>
    </Link>
  );
}
