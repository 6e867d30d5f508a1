import type { BlockFinality } from "@dueday/core/finality";
import type { AsOf } from "@dueday/core/schema";
import type { DetailsFilters, StoredDetails } from "@dueday/db/history/readDetails";
import type { ActivityCounts, EventFilters, Page, StoredEvent } from "@dueday/db/history/readEvents";
import type { StoredProfile } from "@dueday/db/history/readProviderProfile";
import type { StoredSubscription, SubscriptionFilters } from "@dueday/db/history/searchSubscriptions";
import type { Hex } from "viem";

/** A value with the block that it describes; `asOf` is null where the source does not have it. */
export type Sourced<T> = { asOf: AsOf | null; value: T };

/** An event, and how final its block is by now; `logIndex` is null where the source does not have it. */
export type HistoryEvent = Omit<StoredEvent, "logIndex"> & { logIndex: number | null; finality: BlockFinality };

/** A version of a subscription's details; `logIndex` is null where the source does not have it. */
export type HistoryDetails = Omit<StoredDetails, "logIndex"> & { logIndex: number | null };

/** Entries of a page. `total` is the length of the whole list; null where the source does not count it. */
export type Entries<T> = { entries: T[]; total: number | null; hasMore: boolean };

/** `counts` is null where the source does not have all events. */
export type Activity = Entries<HistoryEvent> & { counts: ActivityCounts | null };

/**
 * The source of one chain's events. A null value means that there is no such subscription or profile. Lists are newest first.
 * Failures are thrown as ServiceError.
 */
export type HistorySource = {
  search(filters: SubscriptionFilters, page: Page): Promise<Sourced<Entries<StoredSubscription>>>;
  readDetails(id: Hex, page: Page, filters: DetailsFilters): Promise<Sourced<Entries<HistoryDetails> | null>>;
  readEvents(id: Hex, page: Page, filters: EventFilters): Promise<Sourced<Entries<HistoryEvent> | null>>;
  readActivity(account: Hex, page: Page, filters: EventFilters): Promise<Sourced<Activity>>;
  readProfile(provider: Hex): Promise<Sourced<StoredProfile | null>>;
};
