import type { AsOf } from "@dueday/core/schema";
import type { StoredDetails } from "@dueday/db/queries/readDetails";
import type { ActivityCounts, Page, StoredEvent } from "@dueday/db/queries/readEvents";
import type { StoredProfile } from "@dueday/db/queries/readProviderProfile";
import type { StoredSubscription, SubscriptionFilters } from "@dueday/db/queries/searchSubscriptions";
import type { Hex } from "viem";

/** What a source knows, and the block it is true for; `asOf` is null where the source does not say. */
export type Sourced<T> = { asOf: AsOf | null; value: T };

/** An event whose place within its block the source may not know. */
export type HistoryEvent = Omit<StoredEvent, "logIndex"> & { logIndex: number | null };

/** Entries of a page. `total` counts all there are; null where the source can't tell, and then `hasMore` does. */
export type Entries<T> = { entries: T[]; total: number | null; hasMore: boolean };

/** `counts` is null where the source can't tell. */
export type Activity = Entries<HistoryEvent> & { counts: ActivityCounts | null };

/**
 * Where the events of one chain come from. Null as value: no such subscription, no such profile. Lists are newest first.
 * Whatever fails is thrown as ServiceError.
 */
export type HistorySource = {
  search(filters: SubscriptionFilters, page: Page): Promise<Sourced<Entries<StoredSubscription>>>;
  readDetails(id: Hex, page: Page): Promise<Sourced<Entries<StoredDetails> | null>>;
  readEvents(id: Hex, page: Page): Promise<Sourced<Entries<HistoryEvent> | null>>;
  readActivity(account: Hex, page: Page): Promise<Sourced<Activity>>;
  readProfile(provider: Hex): Promise<Sourced<StoredProfile | null>>;
};
