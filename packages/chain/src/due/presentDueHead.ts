import { DUE_PAGE_ENTRIES, type DueDayHead, type DueListHead, type DuePage } from "@dueday/core/snapshots/dueDay";
import { type DueQuery, presentDuePage } from "./presentDueDay";

/** The answer of `presentDueDay`, made from the head of the day and the stored pages, which must include those of `pagesOfQuery`. */
export function presentDueHead({ lists, ...day }: DueDayHead, stored: ReadonlyMap<string, DuePage>, query: DueQuery) {
  const shown = lists.map(({ pages, ...list }) => {
    const [from, to] = pageRange(query);
    const entries = isWanted(list, query) ? pages.slice(from, to).flatMap((hash) => stored.get(hash) ?? []) : [];
    const start = query.skip - from * DUE_PAGE_ENTRIES;
    return { ...list, page: entries.slice(start, start + query.first) };
  });
  return presentDuePage({ ...day, lists: shown }, query);
}

/** The hashes of the stored pages that an answer needs. */
export function pagesOfQuery({ lists }: DueDayHead, query: DueQuery): string[] {
  return lists.filter((list) => isWanted(list, query)).flatMap(({ pages }) => pages.slice(...pageRange(query)));
}

function isWanted({ frequency }: Pick<DueListHead, "frequency">, query: DueQuery): boolean {
  return query.frequency === undefined || query.frequency === frequency;
}

function pageRange({ first, skip }: DueQuery): [from: number, to: number] {
  return [Math.floor(skip / DUE_PAGE_ENTRIES), Math.ceil((skip + first) / DUE_PAGE_ENTRIES)];
}
