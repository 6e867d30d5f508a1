import type { OperationName } from "@dueday/sdk";
import { DUEDAY_KEY } from "@dueday/sdk/react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { affectedReads } from "./affectedReads";
import { useLiveEvent } from "./LiveEvents";

/** The parameters that select a page: none for the first one. */
type PageStart = { after?: string; skip?: number };

/** The fields of an answer that locate the next page. */
export type Paged = { nextAfter?: string | null | undefined; nextSkip?: number | undefined };

export type PagesOptions<Page> = {
  name: OperationName;
  input: Readonly<Record<string, unknown>>;
  read(start: PageStart, options: { signal: AbortSignal }): Promise<Page>;
};

/**
 * A list that is read page by page. Events renew it while one page is shown. With more pages a renewal would cost a request for each
 * page, and move the rows that the reader looks at: an event then sets `hasNews` until `renew` is called.
 */
export function usePages<Page extends Paged>({ name, input, read }: PagesOptions<Page>) {
  const queryClient = useQueryClient();
  const [hasNews, setNews] = useState(false);
  const queryKey = [DUEDAY_KEY, name, input, "pages"] as const;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, { signal }),
    initialPageParam: {} as PageStart, // the type of all starts
    getNextPageParam: nextStart,
    retry: false,
    // Events do not renew a disabled query, so a list of several pages stays as it is.
    enabled: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
  });
  const pages = query.data?.pages.length ?? 0;
  useLiveEvent(({ type }) => {
    if (pages > 1 && affectedReads(type).includes(name)) setNews(true);
  });
  // The event concerned a list that was shown before, such as one with another filter.
  if (hasNews && pages <= 1) setNews(false);
  const renew = () => {
    setNews(false);
    void queryClient.resetQueries({ queryKey, exact: true });
  };
  return { query, hasNews, renew };
}

/** Null after the last page. */
function nextStart({ nextAfter, nextSkip }: Paged): PageStart | null {
  if (typeof nextAfter === "string") return { after: nextAfter };
  return nextSkip === undefined ? null : { skip: nextSkip };
}
