import { type Finality, finalityOf } from "@dueday/core/finality";
import type { AsOf } from "@dueday/core/schema";
import { readDetails } from "@dueday/db/history/readDetails";
import { type Page, readAccountEvents, readSubscriptionEvents, type StoredEvent } from "@dueday/db/history/readEvents";
import { readProviderProfile } from "@dueday/db/history/readProviderProfile";
import { searchSubscriptions } from "@dueday/db/history/searchSubscriptions";
import type { Entries, HistoryEvent, HistorySource } from "./historySource";
import { type IndexReader, notIndexed } from "./indexReader";

/** Events from the index in the database, as of one block. */
export function indexSource(readIndexed: IndexReader): HistorySource {
  return {
    async search(filters, page) {
      const { asOf, value } = await readIndexed((database, scope) =>
        searchSubscriptions(database, scope, filters, ahead(page)),
      );
      return { asOf, value: entriesOf(value.subscriptions, value.total, page) };
    },
    async readDetails(id, page, filters) {
      const { asOf, value } = await readIndexed((database, scope) =>
        readDetails(database, scope, id, ahead(page), filters),
      );
      return { asOf, value: value === null ? unknown(asOf) : entriesOf(value.entries, value.total, page) };
    },
    async readEvents(id, page, filters) {
      const { asOf, value, finality } = await readIndexed((database, scope) =>
        readSubscriptionEvents(database, scope, id, ahead(page), filters),
      );
      if (value === null) return { asOf, value: unknown(asOf) };
      return { asOf, value: entriesOf(withFinality(value.events, finality), value.total, page) };
    },
    async readActivity(account, page, filters) {
      const { asOf, value, finality } = await readIndexed((database, scope) =>
        readAccountEvents(database, scope, account, ahead(page), filters),
      );
      const events = withFinality(value.events, finality);
      return { asOf, value: { ...entriesOf(events, value.total, page), counts: value.counts } };
    },
    readProfile: (provider) => readIndexed((database, scope) => readProviderProfile(database, scope, provider)),
  };
}

function withFinality(events: readonly StoredEvent[], finality: Finality | null): HistoryEvent[] {
  return events.map((event) => ({ ...event, finality: finalityOf(event.blockNumber, finality) }));
}

/** One entry more than the page has: it shows whether there is a next page. */
function ahead(page: Page): Page {
  return { ...page, first: page.first + 1 };
}

function entriesOf<T>(found: T[], total: number, { first }: Page): Entries<T> {
  return { entries: found.slice(0, first), total, hasMore: found.length > first };
}

/**
 * Null for a record that the index does not have.
 *
 * @throws ServiceError NOT_INDEXED while the index is behind the chain: the record may be newer.
 */
function unknown(asOf: AsOf | null): null {
  if (asOf?.stale === true) throw notIndexed();
  return null;
}
