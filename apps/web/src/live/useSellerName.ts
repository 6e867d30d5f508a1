import type { Operations } from "@dueday/sdk";
import { DUEDAY_KEY, useDueday } from "@dueday/sdk/react";
import { useQuery } from "@tanstack/react-query";
import type { Address } from "viem";

type Seller = Operations["getNames"]["output"]["providers"][number]["seller"];

/** Of the answer of `getNames` that `useSellerName` shows. */
export const sellerKey = (provider: Address) => [DUEDAY_KEY, "getNames", { provider: [provider] }] as const;

/**
 * Present name of a provider; undefined until it is known, and where the service can't name it.
 *
 * @param enabled false: sends no request; for a tab whose request for names of plans asks for this one too (`usePlanNames` with a provider)
 */
export function useSellerName(provider: Address, { enabled }: { enabled: boolean }): Seller | undefined {
  const { dueday } = useDueday();
  const { data } = useQuery({
    queryKey: sellerKey(provider),
    queryFn: ({ signal }) => dueday.getNames({ provider: [provider] }, { signal }),
    enabled,
    retry: false,
  });
  return data?.providers[0]?.seller;
}
