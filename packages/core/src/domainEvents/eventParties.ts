import type { NewDomainEvent } from "./domainEvent";

/** Whom an event concerns: what readers filter by. Null where it concerns no single one. */
export type EventParties = { subscription: string | null; provider: string | null; subscriber: string | null };

/** The parties of an event. A retraction has those of the event that it retracts, which its data does not name. */
export function eventParties({ type, data }: Pick<NewDomainEvent, "type" | "data">): EventParties {
  const isOfSubscription = type !== "event.retracted" && "id" in data;
  return {
    subscription: isOfSubscription ? data.id : null,
    provider: "provider" in data ? data.provider : null,
    subscriber: "subscriber" in data ? data.subscriber : null,
  };
}
