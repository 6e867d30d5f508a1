import type { ReactNode } from "react";
import { useEffect } from "react";
import classes from "./PageHeader.module.css";

export type PageHeaderProps = {
  title: string;
  /** The part of the page that is shown, by `tabTitle`. */
  part?: string | undefined;
  lead?: ReactNode;
  aside?: ReactNode;
};

/** The heading of a page, which is also the title of the browser's tab, after the part that is shown. */
export function PageHeader({ title, part, lead, aside }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${part === undefined ? "" : `${part} · `}${title} · Dueday`;
  }, [title, part]);
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
