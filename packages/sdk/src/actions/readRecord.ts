import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { SubscriptionArgument } from "@dueday/core/calldata/subscriptionArgument";
import { type Address, type Hex, zeroHash } from "viem";
import { readContract } from "viem/actions";
import { DuedayError } from "../http/duedayError";
import type { WalletClient } from "./sendTransactions";

/** The contract's record of a subscription, from the wallet's own node. @throws DuedayError NOT_FOUND for an id it does not know */
export async function readRecord(client: WalletClient, contract: Address, id: Hex): Promise<SubscriptionArgument> {
  const [known, amount, provider, token, cancelled, frequency, dueDay] = await readContract(client, {
    address: contract,
    abi: protocolAbi,
    functionName: "idSubMap",
    args: [id],
  });
  if (known === zeroHash) throw new DuedayError("NOT_FOUND", `There is no subscription ${id} on this chain`);
  return { id: known, amount, provider, token, cancelled, frequency, dueDay };
}

/** The amount of one period in units of the token, from the wallet's own node. */
export async function readUnits(client: WalletClient, { token, amount }: SubscriptionArgument): Promise<bigint> {
  const decimals = await readContract(client, { address: token, abi: erc20Abi, functionName: "decimals" });
  return toTokenUnits(amount, decimals);
}
