import type { ReactNode } from "react";
import type { Tone } from "../ui/Badge";
import classes from "./Notice.module.css";

export type NoticeProps = {
  tone: Tone;
  title: string;
  children?: ReactNode;
  /** What the reader can do about it. */
  action?: ReactNode;
  /** Read aloud at once: something went wrong, or needs an answer. */
  urgent?: boolean;
};

/** A message about the state of a part of the page. */
export function Notice({ tone, title, children, action, urgent = false }: NoticeProps) {
  return (
    <div className={`${classes.notice} ${classes[tone]}`} role={urgent ? "alert" : "status"} data-notice={tone}>
      <div className={classes.text}>
        <p className={classes.title}>{title}</p>
        {children !== undefined && <div className={classes.body}>{children}</div>}
      </div>
      {action !== undefined && <div>{action}</div>}
    </div>
  );
}
