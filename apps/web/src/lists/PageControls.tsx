import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { formatInteger } from "../format/formatAmount";
import { ErrorState } from "../states/ErrorState";
import { Notice } from "../states/Notice";
import { Button } from "../ui/Button";
import classes from "./PageControls.module.css";

export type PageControlsProps = {
  query: Pick<
    UseInfiniteQueryResult,
    "hasNextPage" | "isFetchingNextPage" | "fetchNextPage" | "isFetchNextPageError" | "error"
  >;
  hasNews: boolean;
  renew(): void;
  /** Number of entries that are listed, and of the whole list (null where the service does not count them). */
  shown: number;
  count: number | null;
};

/** Below a list that is read page by page: how much of it is there, and a button for the next page. */
export function PageControls({ query, hasNews, renew, shown, count }: PageControlsProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError, error } = query;
  const more = () => void fetchNextPage();
  return (
    <div className={classes.controls}>
      {hasNews && (
        <Notice
          tone="accent"
          title="Something new has happened"
          action={<Button onClick={renew}>Show the newest</Button>}
        />
      )}
      {isFetchNextPageError && error !== null && (
        <ErrorState error={error} title="Could not load more" onRetry={more} />
      )}
      <p role="status" className={classes.shown}>
        {count === null || count === shown
          ? `${formatInteger(shown)} listed`
          : `${formatInteger(shown)} of ${formatInteger(count)} listed`}
      </p>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={more}>
          {isFetchingNextPage ? "Loading" : "Load more"}
        </Button>
      )}
    </div>
  );
}
