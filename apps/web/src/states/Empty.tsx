import type { ReactNode } from "react";
import classes from "./Empty.module.css";

/** Shown where an answer is empty and nothing is wrong: what that means, and what would change it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <p className={classes.title}>{title}</p>
      {children && <div className={classes.body}>{children}</div>}
    </div>
  );
}
