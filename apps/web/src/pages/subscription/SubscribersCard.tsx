import { useDeferredValue } from "react";
import { lazyWithWallet } from "../../wallet/lazyWithWallet";
import { EntitlementCard } from "./EntitlementCard";
import type { OfSubscription } from "./ofSubscription";
import { SubscribersList } from "./SubscribersList";
import { useSubscriberPages } from "./useSubscriberPages";

const RemovePanel = lazyWithWallet("what its provider can do", () =>
  import("./RemovePanel").then((module) => module.RemovePanel),
);

/** The active subscribers of a subscription, whether an account is entitled, and for the provider the removal of one. */
export function SubscribersCard({ subscription }: OfSubscription) {
  const { id } = subscription;
  const list = useSubscriberPages(id);
  const { data } = list.query;
  // Shown together with the list, which would otherwise move these parts when it arrives.
  const isShown = useDeferredValue(data !== undefined);
  return (
    <>
      <SubscribersList subscription={subscription} list={list} />
      {isShown && data !== undefined && (
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
