import type { ReactNode } from "react";
import type { Tone } from "./Badge";
import classes from "./Figure.module.css";

export type FigureProps = { label: string; tone?: Tone; note?: ReactNode; children: ReactNode };

/** A row of figures that belong together. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

/** One large figure with its name, and a sentence about it. */
export function Figure({ label, tone = "neutral", note, children }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dt className={classes.label}>{label}</dt>
      <dd className={`${classes.value} ${classes[tone]}`}>{children}</dd>
      {note !== undefined && <dd className={classes.note}>{note}</dd>}
    </div>
  );
}
