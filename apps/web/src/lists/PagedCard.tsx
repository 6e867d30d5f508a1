import type { ReactNode } from "react";
import type { Paged, usePages } from "../live/usePages";
import { Answer } from "../states/Answer";
import { Card } from "../ui/Card";
import { type AsOf, SourceLink } from "../ui/SourceLink";
import { PageControls } from "./PageControls";

/** The fields that each page of a list has. The count is null or missing where the service does not count the entries. */
type Page = Paged & { count?: number | null; asOf: AsOf | null };

export type PagedCardProps<P extends Page, R> = {
  list: ReturnType<typeof usePages<P>>;
  /** Name of the list in the texts that are shown while it loads or when it has failed. */
  label: string;
  title: string;
  note?(rows: readonly R[], first: P): ReactNode;
  aside?: ReactNode;
  rowsOf(page: P): readonly R[];
  /** Shown in place of an empty list. */
  empty(first: P): ReactNode;
  children(rows: readonly R[], first: P): ReactNode;
};

/** A list that is read page by page: a card with the rows of all loaded pages, and below it the button for the next page. */
export function PagedCard<P extends Page, R>(props: PagedCardProps<P, R>) {
  const { list, label, title, note, aside, rowsOf, empty, children } = props;
  return (
    <Answer query={list.query} label={label} lines={6}>
      {({ pages }) => {
        const [first] = pages;
        if (first === undefined) return null;
        const rows = pages.flatMap(rowsOf);
        const footer = first.asOf && <SourceLink asOf={first.asOf} />;
        return (
          <>
            <Card title={title} note={note?.(rows, first)} aside={aside} footer={footer} flush>
              {rows.length === 0 ? empty(first) : children(rows, first)}
            </Card>
            <PageControls {...list} shown={rows.length} count={first.count ?? null} />
          </>
        );
      }}
    </Answer>
  );
}
