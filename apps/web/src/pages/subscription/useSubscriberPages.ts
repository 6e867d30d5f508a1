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
    read: (start, options) => dueday.getSubscribers({ id, first: PAGE, ...start }, options),
  });
}
