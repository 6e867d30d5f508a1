import { Link } from "@tanstack/react-router";
import { formatAmount, formatInteger } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { cleanText } from "../../ui/UntrustedText";
import { type CalendarDay, countNames, countsOf } from "./countsOf";
import classes from "./MonthTable.module.css";
import { weeksOf } from "./monthOf";

export type MonthTableProps = {
  month: string;
  days: readonly CalendarDay[];
  today: string | undefined;
  selected: string | undefined;
};

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The month as weeks. Each day with payments names how many are open, to come, settled, failed and missed. */
export function MonthTable({ month, days, today, selected }: MonthTableProps) {
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
                    <DayCell day={day} isToday={day.date === today} isSelected={day.date === selected} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul className={classes.legend} aria-hidden="true">
        {countNames.map(([key, name]) => (
          <li key={key} className={classes[key]}>
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}

const SYMBOL_CHARACTERS = 8;

function DayCell({ day, isToday, isSelected }: { day: CalendarDay; isToday: boolean; isSelected: boolean }) {
  const { date } = day;
  if (date === null) return null;
  const counts = countsOf(day);
  const amounts = [...day.open.byToken, ...day.upcoming.byToken, ...(day.settled?.byToken ?? [])];
  return (
    <Link
      to="/calendar"
      search={{ month: date.slice(0, 7), day: date }}
      className={`${classes.day} ${isSelected ? classes.selected : ""}`}
      aria-current={isToday ? "date" : undefined}
      resetScroll={false}
    >
      <span className={isToday ? classes.today : classes.number}>
        {Number(date.slice(8))}
        <span className={classes.unseen}> {formatDate(date.slice(0, 7), "month")}</span>
      </span>
      <span className={classes.counts}>
        {counts.map(({ key, name, count }) => (
          <span key={key} className={`${classes.count} ${classes[key]}`}>
            {formatInteger(count)} <span className={classes.name}>{name}</span>
          </span>
        ))}
      </span>
      <span className={classes.amounts}>
        {amounts.slice(0, 2).map(({ token, amount, symbol }, index) => (
          <span key={`${token} ${String(index)}`}>
            {formatAmount(amount, 2)} {cleanText(symbol).slice(0, SYMBOL_CHARACTERS)}
          </span>
        ))}
        {amounts.length > 2 && <span>and {amounts.length - 2} more</span>}
      </span>
    </Link>
  );
}
