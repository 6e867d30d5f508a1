import { formatAmount, unitsToDecimal } from "../format/formatAmount";
import { formatDate } from "../format/formatDate";
import classes from "./PeriodBars.module.css";
import { cleanText } from "./UntrustedText";

export type Bar = {
  /** First day of the period. */
  start: string;
  /** Units of the token. */
  paid: bigint;
  failed: bigint;
};

export type PeriodBarsProps = {
  /** What the chart shows, for screen readers; the table beside it has the figures. */
  label: string;
  bars: readonly Bar[];
  symbol: string;
  decimals: number;
  group: "day" | "week" | "month";
};

const HEIGHT = 120;
const STEP = 24;
const WIDTH = 16;

/** Amounts of one token by period, as bars: what was paid, and on top of it what has failed. */
export function PeriodBars({ label, bars, symbol, decimals, group }: PeriodBarsProps) {
  const sums = bars.map(({ paid, failed }) => paid + failed);
  const most = sums.toSorted((a, b) => (a < b ? 1 : -1))[0] || 1n;
  // A share of the height, in thousandths: only the drawing is rounded.
  const heightOf = (units: bigint) => (Number((units * 1000n) / most) * HEIGHT) / 1000;
  const amountOf = (units: bigint) =>
    `${formatAmount(unitsToDecimal(units, decimals))} ${cleanText(symbol).slice(0, SYMBOL_CHARACTERS)}`;
  return (
    <figure className={classes.chart}>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${Math.max(bars.length, 6) * STEP} ${HEIGHT}`}
        preserveAspectRatio="xMinYMax meet"
        className={classes.drawing}
      >
        {bars.map(({ start, paid, failed }, index) => {
          const x = index * STEP + (STEP - WIDTH) / 2;
          const [paidHeight, failedHeight] = [heightOf(paid), heightOf(failed)];
          return (
            <g key={start}>
              <title>{`${formatDate(start, group === "month" ? "month" : "date")}: ${amountOf(paid)} paid, ${amountOf(failed)} failed`}</title>
              <rect x={x} width={WIDTH} y={HEIGHT - paidHeight} height={paidHeight} className={classes.paid} />
              <rect
                x={x}
                width={WIDTH}
                y={HEIGHT - paidHeight - failedHeight}
                height={failedHeight}
                className={classes.failed}
              />
            </g>
          );
        })}
      </svg>
      <figcaption className={classes.legend}>
        <span className={classes.paidKey}>paid</span>
        <span className={classes.failedKey}>failed</span>
        <span>highest {amountOf(most)}</span>
      </figcaption>
    </figure>
  );
}

const SYMBOL_CHARACTERS = 12;
