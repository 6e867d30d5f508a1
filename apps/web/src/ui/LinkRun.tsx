import { type ReactNode, useRef } from "react";
import classes from "./LinkRun.module.css";
import { useCurrentInView } from "./useCurrentInView";

export type LinkRunProps = {
  /** What the links lead to, for screen readers. */
  label: string;
  /** Identifies the current link. When it changes, the list scrolls the new link into view. */
  current: string;
  className?: string | undefined;
  /** A list item for each link. */
  children: ReactNode;
};

/** Links side by side. A list that is too wide scrolls sideways, and fades at an end where more links follow. */
export function LinkRun({ label, current, className = "", children }: LinkRunProps) {
  const run = useRef<HTMLElement>(null);
  useCurrentInView(run, current);
  return (
    <nav ref={run} aria-label={label} className={`${classes.run} ${className}`}>
      <ul className={classes.list}>{children}</ul>
    </nav>
  );
}
