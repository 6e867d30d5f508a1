import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue } from "react";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

export type AnswerProps<T> = {
  /** A query of an operation. */
  query: Pick<UseQueryResult<T, Error>, "data" | "error"> & {
    refetch(): unknown;
    /** For a list that is read page by page: only the next page failed. `PageControls` shows that error below the list. */
    isFetchNextPageError?: boolean;
  };
  /** What is loaded, as in "Loading the plan". */
  label: string;
  /** Lines of the placeholder. */
  lines?: number;
  children(data: T): ReactNode;
};

/**
 * Shows an answer in each of its states: loading, failed, or loaded. A loaded answer that could not be renewed stays, below an error
 * message.
 */
export function Answer<T>({ query, label, lines, children }: AnswerProps<T>) {
  const { error, refetch, isFetchNextPageError = false } = query;
  // What arrives is rendered in slices: a slow phone reacts to a tap between them.
  const hasArrived = useDeferredValue(query.data !== undefined);
  const data = hasArrived ? query.data : undefined;
  const retry = () => void refetch();
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} title={`Could not load ${label}`} onRetry={retry} />;
    return <Loading label={label} {...(lines !== undefined && { lines })} />;
  }
  return (
    <>
      {error !== null && !isFetchNextPageError && (
        <ErrorState error={error} title={`Could not refresh ${label}`} onRetry={retry} />
      )}
      {children(data)}
    </>
  );
}
