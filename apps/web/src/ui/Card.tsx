import { type ReactNode, useId } from "react";
import classes from "./Card.module.css";

export type CardProps = {
  title: string;
  /** One sentence under the title. */
  note?: ReactNode;
  /** Beside the title: actions, filters. */
  aside?: ReactNode;
  /** Shown below a line at the end: the source of the figures. */
  footer?: ReactNode;
  /** The content reaches the card's edges, as tables do. */
  flush?: boolean;
  children: ReactNode;
};

/** A titled part of a page. */
export function Card({ title, note, aside, footer, flush = false, children }: CardProps) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <header className={classes.header}>
        <div className={classes.titles}>
          <h2 id={id}>{title}</h2>
          {note !== undefined && <p className={classes.note}>{note}</p>}
        </div>
        {aside !== undefined && <div className={classes.aside}>{aside}</div>}
      </header>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
      {footer !== undefined && <footer className={classes.footer}>{footer}</footer>}
    </section>
  );
}
