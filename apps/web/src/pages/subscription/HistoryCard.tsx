import { useDueday } from "@dueday/sdk/react";
import type { Hex } from "viem";
import { EventPages } from "../../lists/EventPages";
import { usePages } from "../../live/usePages";
import { CsvButton } from "../../ui/CsvButton";

const PAGE = 100;

/** What happened on a subscription, newest first. */
export function HistoryCard({ id }: { id: Hex }) {
  const { dueday } = useDueday();
  const list = usePages({
    name: "getSubscriptionHistory",
    input: { id },
    read: (start, options) => dueday.getSubscriptionHistory({ id, first: PAGE, ...start }, options),
  });
  const csv = (
    <CsvButton read={() => dueday.csv.getSubscriptionHistory({ id })} name={`subscription-${id.slice(0, 10)}`} />
  );
  return (
    <EventPages title="History" aside={csv} empty="Nothing has happened yet." list={list} perspective="subscription" />
  );
}
