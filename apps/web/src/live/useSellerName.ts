import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import type { Address } from "viem";

type Seller = Operations["getNames"]["output"]["providers"][number]["seller"];

/**
 * What a provider is named by now; undefined until it is known, and where the service can't name it.
 *
 * @param enabled false: only what was asked for before, for a part of a page that asks for other names
 */
export function useSellerName(address: Address, { enabled }: { enabled: boolean }): Seller | undefined {
  const { data } = useDuedayQuery("getNames", { provider: [address] }, { enabled });
  return data?.providers[0]?.seller;
}
