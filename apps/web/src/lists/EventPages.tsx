import type { Operations } from "@dueday/sdk";
import type { ReactNode } from "react";
import type { usePages } from "../live/usePages";
import { usePlanNames } from "../live/usePlanNames";
import { Empty } from "../states/Empty";
import { EventsTable, type EventsTableProps } from "../tables/EventsTable";
import { PagedCard } from "./PagedCard";

type Page = Pick<Operations["getSubscriptionHistory"]["output"], "events" | "count" | "asOf" | "error" | "nextAfter">;

export type EventPagesProps = Omit<EventsTableProps, "events" | "names"> & {
  title: string;
  aside?: ReactNode;
  /** Shown where there is no event. */
  empty: string;
  list: ReturnType<typeof usePages<Page>>;
};

/** A list of events that is read page by page, newest first. */
export function EventPages({ title, aside, empty, list, ...table }: EventPagesProps) {
  // A page about one subscription shows its name in the heading.
  const isNamed = table.perspective === "account";
  const listed = isNamed ? (list.query.data?.pages.flatMap(({ events }) => events.map(({ id }) => id)) ?? []) : [];
  const names = usePlanNames(listed);
  return (
    <PagedCard
      list={list}
      label="the events"
      title={title}
      aside={aside}
      rowsOf={({ events }) => events}
      empty={({ error }) => <Empty title="No events">{error ?? empty}</Empty>}
    >
      {(events) => <EventsTable events={events} names={names} {...table} />}
    </PagedCard>
  );
}
