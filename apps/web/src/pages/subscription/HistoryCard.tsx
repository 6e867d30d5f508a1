import { useDueday } from "@dueday/sdk/react";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { EventsTable } from "../../ui/EventsTable";
import { PageControls } from "../../ui/PageControls";
import { SourceLink } from "../../ui/SourceLink";

const PAGE = 100;

/** What happened on a subscription, newest first. */
export function HistoryCard({ id }: { id: string }) {
  const { dueday } = useDueday();
  const { query, hasNews, renew } = usePages({
    name: "getSubscriptionHistory",
    input: { id },
    read: (cursor, options) =>
      dueday.getSubscriptionHistory({ id, first: PAGE, ...(cursor !== null && { after: cursor }) }, options),
    next: ({ nextAfter }) => nextAfter ?? null,
  });
  return (
    <Answer query={query} label="the history" lines={6}>
      {({ pages }) => {
        const [first] = pages;
        const events = pages.flatMap((page) => page.events);
        return (
          <>
            <Card
              title="History"
              aside={
                <CsvButton path={`/subscriptions/${id}/history`} query={{}} name={`subscription-${id.slice(0, 10)}`} />
              }
              footer={first?.asOf && <SourceLink asOf={first.asOf} />}
              flush
            >
              {events.length === 0 ? (
                <Empty title="Nothing has happened yet">{first?.error}</Empty>
              ) : (
                <EventsTable events={events} perspective="subscription" />
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
