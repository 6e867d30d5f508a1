import { useState } from "react";
import classes from "./BarChart.module.css";
import { BarDrawing, type BarDrawingProps } from "./BarDrawing";

/** Default of `scale`: counts. */
export type BarChartProps = Omit<BarDrawingProps, "scale" | "onPoint"> & Partial<Pick<BarDrawingProps, "scale">>;

/** Stacked bars. It is a picture: a page gives the same figures as a table too, for who can't see it or wants them exactly. */
export function BarChart({ label, parts, bars, scale = "counts" }: BarChartProps) {
  const [pointed, setPointed] = useState<number | null>(null);
  const bar = pointed === null ? undefined : bars[pointed];
  return (
    <figure className={classes.figure}>
      <BarDrawing label={label} parts={parts} bars={bars} scale={scale} onPoint={setPointed} />
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
