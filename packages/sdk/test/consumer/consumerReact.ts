import { createDueday, type DuedayErrorCode } from "@dueday/sdk";
import { DuedayProvider, useDue, useDuedayQuery, useEntitlement, useEvents, useSubscribe } from "@dueday/sdk/react";
import { createElement } from "react";

// Type-checked against the packed package, never run.
export function Page({ id, account }: { id: `0x${string}`; account: `0x${string}` | null }) {
  const due = useDue();
  const { data } = useEntitlement(account === null ? null : { id, account });
  const forecast = useDuedayQuery("getRemitForecast", {});
  const { events, status } = useEvents({ types: ["remit.settled"] });
  const { mutate, error } = useSubscribe();
  const code: DuedayErrorCode | undefined = error?.code;
  const [first] = due.data?.results.flatMap(({ subscriptions }) => subscriptions) ?? [];
  if (first !== undefined) mutate({ id: first.id, approvalPeriods: 12 });
  const settling = useDuedayQuery("prepareRemit", { from: first?.provider ?? id });
  const data0: string | undefined = settling.data?.unsignedTransactions[0]?.data;
  // @ts-expect-error id is required
  mutate({});
  // @ts-expect-error no such operation
  useDuedayQuery("getForecast", {});
  // @ts-expect-error the account is required
  useEntitlement({ id });
  const text: string = `${due.data?.results.length} ${data?.entitled} ${forecast.error?.code} ${events.length} ${status} ${code} ${data0}`;
  return createElement("p", null, text);
}

export const app = createElement(DuedayProvider, { dueday: createDueday({ baseUrl: "" }) });
