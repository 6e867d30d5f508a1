import { type ReactNode, useState } from "react";
import classes from "./Disclosure.module.css";

export type DisclosureProps = { summary: string; children: ReactNode; onOpen?: () => void };

/** Content that is shown on demand, and made only then. */
export function Disclosure({ summary, children, onOpen }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  const toggle = (open: boolean) => {
    setOpen(open);
    if (open) onOpen?.();
  };
  return (
    <details className={classes.details} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
      <summary className={classes.summary}>{summary}</summary>
      {isOpen && <div className={classes.content}>{children}</div>}
    </details>
  );
}
