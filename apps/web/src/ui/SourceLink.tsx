import { Link } from "@tanstack/react-router";
import { useExplorerUrl } from "../config/ChainContext";
import { formatInteger } from "../format/formatAmount";
import { formatTime } from "../format/formatDate";
import classes from "./SourceLink.module.css";

export type AsOf = {
  blockNumber: string;
  blockTimestamp: number;
  source: "snapshot" | "live";
  stale: boolean;
};

/**
 * The source of figures: their block, as a link to the explorer, and whether they were read from the chain for this request (live) or
 * computed by the worker (snapshot), as a link to the state of the chain.
 */
export function SourceLink({ asOf }: { asOf: AsOf }) {
  const { blockNumber, blockTimestamp, source, stale } = asOf;
  const url = useExplorerUrl(`block/${blockNumber}`);
  const block = `block ${formatInteger(blockNumber)}`;
  return (
    <span className={classes.source}>
      As of{" "}
      {url === null ? (
        <span title={formatTime(blockTimestamp)}>{block}</span>
      ) : (
        <a href={url} target="_blank" rel="noreferrer noopener" title={formatTime(blockTimestamp)}>
          {block}
        </a>
      )}
      ,{" "}
      <Link to="/status" title="How this chain is followed">
        {source === "live" ? "read live" : "from the snapshot"}
      </Link>
      {stale && ", stale"}
    </span>
  );
}
