import type { ReactNode } from "react";
import classes from "./Inset.module.css";

/** The usual margins of a card's body, inside a card whose tables reach its edges. */
export function Inset({ children }: { children: ReactNode }) {
  return <div className={classes.inset}>{children}</div>;
}
