import type { OperationName } from "@dueday/sdk";
import { DUEDAY_KEY } from "@dueday/sdk/react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { affectedReads } from "./affectedReads";
import { useLiveEvent } from "./LiveEvents";

export type PagesOptions<Page> = {
  name: OperationName;
  input: Readonly<Record<string, unknown>>;
  /** Reads the page at a cursor; null is the first. */
  read(cursor: string | null, options: { signal: AbortSignal }): Promise<Page>;
  /** The cursor of the page after this one; null where it is the last. */
  next(page: Page): string | null;
};

/**
 * A list that is read page by page. Events renew it while one page is shown. With more pages that would cost a request for each of
 * them, and move what is being read: then `hasNews` is true until `renew`.
 */
export function usePages<Page>({ name, input, read, next }: PagesOptions<Page>) {
  const queryClient = useQueryClient();
  const [hasNews, setNews] = useState(false);
  const queryKey = [DUEDAY_KEY, name, input, "pages"] as const;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, { signal }),
    initialPageParam: null as string | null, // the type of all cursors
    getNextPageParam: next,
    retry: false,
    // A disabled query keeps its pages when others are asked for again.
    enabled: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
  });
  const pages = query.data?.pages.length ?? 0;
  useLiveEvent(({ type }) => {
    if (pages > 1 && affectedReads(type).includes(name)) setNews(true);
  });
  const renew = () => {
    setNews(false);
    void queryClient.resetQueries({ queryKey, exact: true });
  };
  return { query, hasNews: hasNews && pages > 1, renew };
}
