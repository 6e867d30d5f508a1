import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import type { Address } from "viem";

type Seller = Operations["getNames"]["output"]["providers"][number]["seller"];

/**
 * Present name of a provider; undefined until it is known, and where the service can't name it.
 *
 * @param enabled false: sends no request, and returns only a name that was read before; for a tab that already asks for names
 */
export function useSellerName(address: Address, { enabled }: { enabled: boolean }): Seller | undefined {
  const { data } = useDuedayQuery("getNames", { provider: [address] }, { enabled });
  return data?.providers[0]?.seller;
}
