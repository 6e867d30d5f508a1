import type { ReactNode } from "react";
import classes from "./Stack.module.css";

/** The parts of a page, below each other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

/** Buttons beside each other, and below each other where they do not fit. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

/** Parts of a page beside each other where there is room. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={classes.columns}>{children}</div>;
}
