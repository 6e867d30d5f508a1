import { PageControls } from "../../lists/PageControls";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";
import type { OfSubscription } from "./ofSubscription";
import { SubscribersTable } from "./SubscribersTable";
import type { useSubscriberPages } from "./useSubscriberPages";

export type SubscribersListProps = OfSubscription & { list: ReturnType<typeof useSubscriberPages> };

/** The active subscribers of a subscription, with how many payments each can still make. */
export function SubscribersList({ subscription, list: { query, hasNews, renew } }: SubscribersListProps) {
  return (
    <Answer query={query} label="the subscribers" lines={6}>
      {({ pages }) => {
        const [first] = pages;
        const rows = pages.flatMap(({ subscribers }) => subscribers);
        const atRisk = rows.filter((row) => row.atRisk).length;
        return (
          <>
            <Card
              title="Subscribers"
              note={first && riskOf(rows.length, atRisk, first.horizonDays)}
              footer={first && <SourceLink asOf={first.asOf} />}
              flush
            >
              {rows.length === 0 ? (
                <Empty title="No active subscribers">
                  Accounts that subscribe are listed here. Share the link of the checkout with them.
                </Empty>
              ) : (
                <SubscribersTable rows={rows} tokenSymbol={subscription.tokenSymbol} />
              )}
            </Card>
            <PageControls
              query={query}
              hasNews={hasNews}
              renew={renew}
              shown={rows.length}
              count={first?.count ?? null}
            />
          </>
        );
      }}
    </Answer>
  );
}

function riskOf(listed: number, atRisk: number, horizonDays: number): string {
  if (listed === 0) return "It has no paying subscribers now.";
  if (atRisk === 0) return `Within ${horizonDays} days, one whole period, no payment of those listed fails.`;
  return `Within ${horizonDays} days, one whole period, a payment of ${atRisk} of those listed fails, which ends their subscription.`;
}
