import { type ReactNode, useState } from "react";
import classes from "./Disclosure.module.css";

export type DisclosureProps = {
  summary: string;
  children: ReactNode;
  /** Whether it is open, where its owner opens it too; then `onToggle` has to change it. */
  open?: boolean;
  onToggle?(open: boolean): void;
};

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
