import type { ReactNode } from "react";
import { useEffect } from "react";
import classes from "./PageHeader.module.css";

export type PageHeaderProps = { title: string; lead?: ReactNode; aside?: ReactNode };

/** The heading of a page, which is also the title of the browser's tab. */
export function PageHeader({ title, lead, aside }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Dueday`;
  }, [title]);
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <h1>{title}</h1>
        {lead !== undefined && <p className={classes.lead}>{lead}</p>}
      </div>
      {aside !== undefined && <div className={classes.aside}>{aside}</div>}
    </header>
  );
}
