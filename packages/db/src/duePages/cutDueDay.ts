import { DUE_PAGE_ENTRIES, type DueDay, type DueDayHead, type DueSubscription } from "@dueday/core/snapshots/dueDay";

/** A page of a due list to be stored. */
export type NewDuePage = { hash: string; payload: string };

/**
 * Cuts the lists of a due day into pages. Returns the day's head, which is the snapshot, and the pages that the head
 * names, each page once.
 */
export function cutDueDay({ lists, ...day }: DueDay): { head: DueDayHead; pages: NewDuePage[] } {
  const pages = new Map<string, NewDuePage>();
  const heads = lists.map(({ subscriptions, ...list }) => {
    const cut = pagesOf(subscriptions);
    for (const page of cut) pages.set(page.hash, page);
    return { ...list, held: subscriptions.length, pages: cut.map(({ hash }) => hash) };
  });
  return { head: { ...day, lists: heads }, pages: [...pages.values()] };
}

function pagesOf(entries: readonly DueSubscription[]): NewDuePage[] {
  const count = Math.ceil(entries.length / DUE_PAGE_ENTRIES);
  return Array.from({ length: count }, (_, index) => {
    const payload = JSON.stringify(entries.slice(index * DUE_PAGE_ENTRIES, (index + 1) * DUE_PAGE_ENTRIES));
    return { hash: new Bun.CryptoHasher("sha256").update(payload).digest("hex").slice(0, HASH_CHARACTERS), payload };
  });
}

/** 128 bits: two contents do not get the same hash by chance, and a day's head stays small. */
const HASH_CHARACTERS = 32;
