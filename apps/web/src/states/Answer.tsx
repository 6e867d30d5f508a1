import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatTime } from "../format/formatDate";
import type { AsOf } from "../ui/SourceLink";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";
import { Notice } from "./Notice";

export type AnswerProps<T> = {
  /** A query of an operation. */
  query: Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
  /** What is loaded, as in "Loading the plan". */
  label: string;
  /** Lines of the placeholder. */
  lines?: number;
  children(data: T): ReactNode;
};

/**
 * Shows an answer in each state that it can be in: on its way, refused, old, or there. An answer that can't be renewed stays, below a
 * message about that.
 */
export function Answer<T>({ query, label, lines, children }: AnswerProps<T>) {
  const { data, error, refetch } = query;
  const retry = () => void refetch();
  if (data === undefined) {
    if (error !== null) return <ErrorState error={error} title={`Could not load ${label}`} onRetry={retry} />;
    return <Loading label={label} {...(lines !== undefined && { lines })} />;
  }
  const asOf = asOfOf(data);
  return (
    <>
      {error !== null && <ErrorState error={error} title={`Could not renew ${label}`} onRetry={retry} />}
      {error === null && asOf?.stale === true && (
        <Notice tone="warn" title="These figures are old">
          The service has not confirmed them since {formatTime(asOf.blockTimestamp)}: its worker or its node is behind.
        </Notice>
      )}
      {children(data)}
    </>
  );
}

/** The block of an answer, where it has one. */
export function asOfOf(data: unknown): AsOf | null {
  if (typeof data !== "object" || data === null || !("asOf" in data)) return null;
  // Every answer with this field has it from one schema.
  return (data.asOf as AsOf | null | undefined) ?? null;
}
