import { useDueday } from "@dueday/sdk/react";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";
import { lazyWallet } from "../../wallet/lazyWallet";
import { EntitlementCard } from "./EntitlementCard";
import type { OfSubscription } from "./ofSubscription";
import { SubscribersTable } from "./SubscribersTable";

const PAGE = 200;

const RemovePanel = lazyWallet("what its provider can do", () =>
  import("./RemovePanel").then((module) => module.RemovePanel),
);

/** The active subscribers of a subscription, with how many payments each can still make. */
export function SubscribersCard({ subscription }: OfSubscription) {
  const { id, tokenSymbol } = subscription;
  const { dueday } = useDueday();
  const { query, hasNews, renew } = usePages({
    name: "getSubscribers",
    input: { id },
    read: (cursor, options) => dueday.getSubscribers({ id, first: PAGE, skip: Number(cursor ?? 0) }, options),
    next: ({ nextSkip }) => (nextSkip === undefined ? null : String(nextSkip)),
  });
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
                  Accounts that subscribe are listed here. Share the address of this page with them.
                </Empty>
              ) : (
                <SubscribersTable rows={rows} tokenSymbol={tokenSymbol} />
              )}
            </Card>
            <PageControls
              query={query}
              hasNews={hasNews}
              renew={renew}
              shown={rows.length}
              count={first?.count ?? null}
            />
            <EntitlementCard id={id} />
            <RemovePanel subscription={subscription} subscribers={rows.map(({ subscriber }) => subscriber)} />
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
