import type { NewDomainEvent } from "./domainEvent";

/** The subscription and the accounts that an event concerns, by which readers filter. Null where it concerns none or several. */
export type EventParties = { subscription: string | null; provider: string | null; subscriber: string | null };

/** The parties that the data of an event names: none for a retraction, which is stored with those of the event that it retracts. */
export function eventParties({ type, data }: Pick<NewDomainEvent, "type" | "data">): EventParties {
  const isOfSubscription = type !== "event.retracted" && "id" in data;
  return {
    subscription: isOfSubscription ? data.id : null,
    provider: "provider" in data ? data.provider : null,
    subscriber: "subscriber" in data ? data.subscriber : null,
  };
}
