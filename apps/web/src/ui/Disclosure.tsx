import { type ReactNode, useState } from "react";
import classes from "./Disclosure.module.css";

/** For a component that opens and closes it too: whether it is open. */
type Owned = { open: boolean; onToggle(open: boolean): void };

export type DisclosureProps = { summary: string; children: ReactNode } & (Owned | { open?: never; onToggle?: never });

/** Content that is shown on demand, and made only then. */
export function Disclosure({ summary, children, open, onToggle }: DisclosureProps) {
  const [isOwnOpen, setOwnOpen] = useState(false);
  const isOpen = open ?? isOwnOpen;
  const toggle = onToggle ?? setOwnOpen;
  return (
    <details className={classes.details} open={isOpen} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <summary className={classes.summary}>{summary}</summary>
      {isOpen && <div className={classes.content}>{children}</div>}
    </details>
  );
}
