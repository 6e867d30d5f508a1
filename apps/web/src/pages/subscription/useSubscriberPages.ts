import { useDueday } from "@dueday/sdk/react";
import type { Hex } from "viem";
import { usePages } from "../../live/usePages";

const PAGE = 200;

/** The active subscribers of a subscription, page by page. */
export function useSubscriberPages(id: Hex) {
  const { dueday } = useDueday();
  return usePages({
    name: "getSubscribers",
    input: { id },
    read: (cursor, options) => dueday.getSubscribers({ id, first: PAGE, skip: Number(cursor ?? 0) }, options),
    next: ({ nextSkip }) => (nextSkip === undefined ? null : String(nextSkip)),
  });
}
