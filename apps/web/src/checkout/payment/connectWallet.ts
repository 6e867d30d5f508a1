import { type Address, createWalletClient, custom, type EIP1193Provider, getAddress } from "viem";
import { noteKnownWallet } from "../../config/knownWallet";

/** A connected wallet. */
export type Connection = { name: string; provider: EIP1193Provider; account: Address; chainId: number };

/** Asks a wallet for its account. @throws what the wallet rejects with */
export async function connectWallet(provider: EIP1193Provider, name: string): Promise<Connection> {
  const client = createWalletClient({ transport: custom(provider) });
  const [account] = await client.requestAddresses();
  if (account === undefined) throw new Error("The wallet has no account");
  noteKnownWallet();
  return { name, provider, account: getAddress(account), chainId: await client.getChainId() };
}
