import type { Operations } from "@dueday/sdk";
import { DUEDAY_KEY, useDuedayQuery } from "@dueday/sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { Address } from "viem";

type Names = Operations["getNames"]["output"];
type Seller = Names["providers"][number]["seller"];

/**
 * Present name of a provider; undefined until it is known, and where the service can't name it.
 *
 * @param enabled false: sends no request; for a tab that asks for the names of the provider's plans, which come with that of the seller
 */
export function useSellerName(address: Address, { enabled }: { enabled: boolean }): Seller | undefined {
  const { data } = useDuedayQuery("getNames", { provider: [address] }, { enabled });
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const ofPlan = useSyncExternalStore(subscribe, () => {
    // Answers of `getNames` have this key.
    const answers = cache
      .findAll({ queryKey: [DUEDAY_KEY, "getNames"] })
      .map(({ state }) => state.data as Names | undefined);
    const plans = answers.flatMap((answer) => answer?.plans ?? []);
    return plans.find(({ provider }) => provider.toLowerCase() === address.toLowerCase())?.seller;
  });
  return data?.providers[0]?.seller ?? ofPlan;
}
