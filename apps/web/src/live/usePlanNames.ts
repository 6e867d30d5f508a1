import type { Operations } from "@dueday/sdk";
import { DUEDAY_KEY, useDueday } from "@dueday/sdk/react";
import { keepPreviousData, useQueries } from "@tanstack/react-query";
import type { Hex } from "viem";

type PlanNames = ReadonlyMap<string, Operations["getNames"]["output"]["plans"][number]>;

/** Names that one request may ask for. */
const MOST_NAMES = 100;

/**
 * The current names of plans and their sellers, by the id of the plan. One request reads up to 100 names. A plan is absent until its name is
 * known, and where the service can't name it.
 */
export function usePlanNames(ids: readonly Hex[]): PlanNames {
  const { dueday } = useDueday();
  const different = [...new Set(ids)];
  const parts = Array.from({ length: Math.ceil(different.length / MOST_NAMES) }, (_, index) => ({
    id: different.slice(index * MOST_NAMES, (index + 1) * MOST_NAMES),
  }));
  return useQueries({
    queries: parts.map((input) => ({
      queryKey: [DUEDAY_KEY, "getNames", input],
      queryFn: ({ signal }: { signal: AbortSignal }) => dueday.getNames(input, { signal }),
      retry: false,
      // Names stay while a longer list asks for more of them.
      placeholderData: keepPreviousData,
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => data?.plans ?? []).map((plan) => [plan.id, plan])),
  });
}
