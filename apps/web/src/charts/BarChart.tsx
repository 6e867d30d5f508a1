import { useRef, useState } from "react";
import { lazyPart } from "../states/lazyPart";
import classes from "./BarChart.module.css";
import type { Bar, BarPart, BarsProps, Scale } from "./Bars";
import { useWasInView } from "./useWasInView";

export type BarChartProps = {
  label: string;
  parts: readonly BarPart[];
  bars: readonly Bar[];
  /** Default: counts. */
  scale?: Scale;
};

/** Loaded on demand: the drawing code is as large as a page's, and on a phone most charts are below the first view. */
const Bars = lazyPart<BarsProps>(
  "the chart",
  () => import("./Bars").then((module) => module.Bars),
  () => null,
);

/**
 * Stacked bars, drawn when they first come into view. The page also shows the same figures in a table, for readers who can't see the
 * chart or want the exact values.
 */
export function BarChart({ label, parts, bars, scale = "counts" }: BarChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const wasInView = useWasInView(frame);
  const [pointed, setPointed] = useState<number | null>(null);
  const bar = pointed === null ? undefined : bars[pointed];
  return (
    <figure className={classes.figure} aria-label={label}>
      <div ref={frame} className={classes.frame}>
        {wasInView && <Bars parts={parts} bars={bars} scale={scale} onPoint={setPointed} />}
      </div>
      <figcaption className={classes.caption}>
        <ul className={classes.legend}>
          {parts.map(({ name, color }) => (
            <li key={name} className={classes.entry}>
              <span className={classes.swatch} style={{ background: `var(${color})` }} />
              {name}
            </li>
          ))}
        </ul>
        <span className={classes.pointed}>{bar?.text}</span>
      </figcaption>
    </figure>
  );
}
