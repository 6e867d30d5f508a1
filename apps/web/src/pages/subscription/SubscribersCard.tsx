import { useDeferredValue } from "react";
import { lazyWallet } from "../../wallet/lazyWallet";
import { EntitlementCard } from "./EntitlementCard";
import type { OfSubscription } from "./ofSubscription";
import { SubscribersList } from "./SubscribersList";
import { useSubscriberPages } from "./useSubscriberPages";

const RemovePanel = lazyWallet("what its provider can do", () =>
  import("./RemovePanel").then((module) => module.RemovePanel),
);

/** The active subscribers of a subscription, whether an account is entitled, and for the provider the removal of one. */
export function SubscribersCard({ subscription }: OfSubscription) {
  const { id } = subscription;
  const list = useSubscriberPages(id);
  // Shown together with the list, which would move it.
  const data = useDeferredValue(list.query.data);
  return (
    <>
      <SubscribersList subscription={subscription} list={list} />
      {data !== undefined && (
        <>
          <EntitlementCard id={id} />
          <RemovePanel
            subscription={subscription}
            subscribers={data.pages.flatMap(({ subscribers }) => subscribers).map(({ subscriber }) => subscriber)}
          />
        </>
      )}
    </>
  );
}
