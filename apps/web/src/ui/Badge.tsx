import type { ReactNode } from "react";
import classes from "./Badge.module.css";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

/** A short word about a state. The word carries the meaning, not the colour alone. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${classes.badge} ${classes[tone]}`}>{children}</span>;
}
