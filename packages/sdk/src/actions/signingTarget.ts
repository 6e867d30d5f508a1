import { chainDefaults } from "@dueday/core/chains";
import { type Account, type Address, getAddress } from "viem";
import { getChainId } from "viem/actions";
import type { WalletClient } from "./sendTransactions";

/** Who signs, on which chain, for which contract. */
export type SigningTarget = { chainId: number; contract: Address; from: Address; account: Account | Address };

export type SigningTargetOptions = {
  /** Default: the client's own. */
  account?: Account | Address | undefined;
  /** The protocol's contract. Default: that of the wallet's chain, where it is built in. */
  contract?: Address | undefined;
};

/** Nothing in it comes from the service. Throws TypeError where the account or the contract is not known. */
export async function signingTarget(
  client: WalletClient,
  { account = client.account, contract: given }: SigningTargetOptions,
): Promise<SigningTarget> {
  if (account == null) throw new TypeError("the wallet client has no account: pass account to the action");
  const chainId = client.chain?.id ?? (await getChainId(client));
  const contract = given ?? chainDefaults[chainId]?.contract;
  if (contract === undefined) throw new TypeError(`pass contract to the action: it is not known for chain ${chainId}`);
  const from = getAddress(typeof account === "string" ? account : account.address);
  return { chainId, contract: getAddress(contract), from, account };
}
