import { expect, test } from "bun:test";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { renewQueries } from "./renewQueries";

/** A query that is shown, whose answers are given one by one. */
function showQuery(queryClient: QueryClient, queryKey: readonly unknown[]) {
  const requests: ((answer: string) => void)[] = [];
  const observer = new QueryObserver<string>(queryClient, {
    queryKey,
    queryFn: () => new Promise((answer) => requests.push(answer)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const hide = observer.subscribe(() => {});
  return { requests, data: () => observer.getCurrentResult().data, hide };
}

test("a first answer that was on its way when something changed is shown, and is asked for again", async () => {
  const queryClient = new QueryClient();
  const { requests, data, hide } = showQuery(queryClient, ["dueday", "getAccount", {}]);
  const renewed = renewQueries(queryClient, ["getAccount"]);
  requests[0]?.("before the change");
  await waitUntil("the second request", () => requests.length === 2);
  expect(data()).toBe("before the change");
  requests[1]?.("after it");
  await renewed;
  expect([data(), requests.length]).toEqual(["after it", 2]);
  hide();
});

test("an answer that is shown is asked for again once, and those of other operations and other libraries are not", async () => {
  const queryClient = new QueryClient();
  const shown = [
    ["dueday", "getAccount", {}],
    ["dueday", "getSubscription", {}],
    ["balance", "getAccount"],
  ].map((key) => showQuery(queryClient, key));
  for (const { requests } of shown) requests[0]?.("before");
  await waitUntil("the first answers", () => shown.every(({ data }) => data() === "before"));
  const renewed = renewQueries(queryClient, ["getAccount"]);
  shown[0]?.requests[1]?.("after");
  await renewed;
  expect(shown.map(({ data, requests }) => [data(), requests.length])).toEqual([
    ["after", 2],
    ["before", 1],
    ["before", 1],
  ]);

  const all = renewQueries(queryClient);
  shown[0]?.requests[2]?.("later");
  shown[1]?.requests[1]?.("later");
  await all;
  expect(shown.map(({ data }) => data())).toEqual(["later", "later", "before"]);
  for (const { hide } of shown) hide();
});
