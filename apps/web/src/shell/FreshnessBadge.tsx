import { Link } from "@tanstack/react-router";
import { formatInteger } from "../format/formatAmount";
import { formatDuration, formatTime } from "../format/formatDate";
import { useLiveStatus } from "../live/LiveEvents";
import { useFreshness } from "../live/useFreshness";
import { useNow } from "../ui/useNow";
import classes from "./FreshnessBadge.module.css";

const words = { connecting: "Connecting", open: "Live", broken: "Not live", failed: "Not live" } as const;

/** Which block the page shows, how old it is, and whether changes arrive by themselves. */
export function FreshnessBadge() {
  const status = useLiveStatus();
  const asOf = useFreshness();
  const now = useNow();
  const state = asOf?.stale === true ? "stale" : status;
  const word = asOf?.stale === true ? "Stale" : words[status];
  const age = asOf === null ? null : Math.max(0, Math.floor(now / 1000) - asOf.blockTimestamp);
  return (
    <Link
      to="/status"
      className={classes.badge}
      title={asOf === null ? word : `${word}: ${formatTime(asOf.blockTimestamp)}`}
    >
      <span className={`${classes.dot} ${classes[state]}`} aria-hidden="true" />
      <span>{word}</span>
      {asOf !== null && age !== null && (
        <span className={classes.block}>
          block {formatInteger(asOf.blockNumber)} <span className={classes.age}>· {formatDuration(age)}</span>
        </span>
      )}
    </Link>
  );
}
