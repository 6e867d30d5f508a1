import { PagedCard } from "../../lists/PagedCard";
import { Empty } from "../../states/Empty";
import type { OfSubscription } from "./ofSubscription";
import { SubscribersTable } from "./SubscribersTable";
import type { useSubscriberPages } from "./useSubscriberPages";

export type SubscribersListProps = OfSubscription & { list: ReturnType<typeof useSubscriberPages> };

/** The active subscribers of a subscription, with how many payments each can still make. */
export function SubscribersList({ subscription, list }: SubscribersListProps) {
  const { cancelled, tokenSymbol } = subscription;
  return (
    <PagedCard
      list={list}
      label="the subscribers"
      title="Subscribers"
      rowsOf={({ subscribers }) => subscribers}
      note={(rows, { horizonDays }) =>
        cancelled
          ? "The plan is cancelled: none of its subscribers is charged any more."
          : riskOf(rows.length, rows.filter((row) => row.atRisk).length, horizonDays)
      }
      empty={() => (
        <Empty title="No active subscribers">
          {cancelled
            ? "A cancelled plan takes no new subscribers."
            : "Accounts that subscribe are listed here. Share the link of the checkout with them."}
        </Empty>
      )}
    >
      {(rows) => <SubscribersTable rows={rows} tokenSymbol={tokenSymbol} />}
    </PagedCard>
  );
}

function riskOf(listed: number, atRisk: number, horizonDays: number): string {
  if (listed === 0) return "It has no paying subscribers now.";
  if (atRisk === 0)
    return `No payment of these subscribers fails within the next ${horizonDays} days, one whole period.`;
  return `${atRisk} of these subscribers will have a payment that fails within the next ${horizonDays} days, one whole period. That ends their subscription.`;
}
