import type { Operations } from "@dueday/sdk";
import type { ReactNode } from "react";
import type { usePages } from "../live/usePages";
import { usePlanNames } from "../live/usePlanNames";
import { Answer } from "../states/Answer";
import { Empty } from "../states/Empty";
import { Card } from "../ui/Card";
import { EventsTable, type EventsTableProps } from "../ui/EventsTable";
import { SourceLink } from "../ui/SourceLink";
import { PageControls } from "./PageControls";

type Page = Pick<Operations["getSubscriptionHistory"]["output"], "events" | "count" | "asOf" | "error">;

export type EventPagesProps = Omit<EventsTableProps, "events" | "names"> & {
  title: string;
  aside?: ReactNode;
  /** Shown where there is no event. */
  empty: string;
  list: ReturnType<typeof usePages<Page>>;
};

/** A list of events that is read page by page, newest first. */
export function EventPages({ title, aside, empty, list, ...table }: EventPagesProps) {
  const { query, hasNews, renew } = list;
  // A page about one subscription has its name above.
  const isNamed = table.perspective === "account";
  const listed = isNamed ? (query.data?.pages.flatMap((page) => page.events.map(({ id }) => id)) ?? []) : [];
  const names = usePlanNames(listed);
  return (
    <Answer query={query} label="the events" lines={6}>
      {({ pages }) => {
        const [first] = pages;
        const events = pages.flatMap((page) => page.events);
        return (
          <>
            <Card title={title} aside={aside} footer={first?.asOf && <SourceLink asOf={first.asOf} />} flush>
              {events.length === 0 ? (
                <Empty title="No events">{first?.error ?? empty}</Empty>
              ) : (
                <EventsTable events={events} names={names} {...table} />
              )}
            </Card>
            <PageControls
              query={query}
              hasNews={hasNews}
              renew={renew}
              shown={events.length}
              count={first?.count ?? null}
            />
          </>
        );
      }}
    </Answer>
  );
}
