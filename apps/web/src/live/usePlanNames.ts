import type { Operations } from "@dueday/sdk";
import { DUEDAY_KEY, useDueday } from "@dueday/sdk/react";
import { keepPreviousData, useQueries, useQueryClient } from "@tanstack/react-query";
import type { Address, Hex } from "viem";
import { sellerKey } from "./useSellerName";

type PlanNames = ReadonlyMap<string, Operations["getNames"]["output"]["plans"][number]>;

/** Names that one request may ask for. */
const MOST_NAMES = 100;

/**
 * The current names of plans and their sellers, by the id of the plan. One request reads up to 100 names. A plan is absent until its name is
 * known, and where the service can't name it.
 *
 * @param provider asked for by the same requests, and with no ids too, for `useSellerName`
 */
export function usePlanNames(ids: readonly Hex[], provider?: Address): PlanNames {
  const { dueday } = useDueday();
  const queryClient = useQueryClient();
  const different = [...new Set(ids)];
  const most = provider === undefined ? MOST_NAMES : MOST_NAMES - 1;
  const count = Math.max(Math.ceil(different.length / most), provider === undefined ? 0 : 1);
  const parts = Array.from({ length: count }, (_, index) => ({
    id: different.slice(index * most, (index + 1) * most),
    ...(provider !== undefined && { provider: [provider] }),
  }));
  return useQueries({
    queries: parts.map((input) => ({
      queryKey: [DUEDAY_KEY, "getNames", input],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const answer = await dueday.getNames(input, { signal });
        if (provider !== undefined) queryClient.setQueryData(sellerKey(provider), answer);
        return answer;
      },
      retry: false,
      // Names stay while a longer list asks for more of them.
      placeholderData: keepPreviousData,
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => data?.plans ?? []).map((plan) => [plan.id, plan])),
  });
}
