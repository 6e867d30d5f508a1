import { devnetChain } from "@dueday/devnet/devnetChain";
import type { TestAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  type PublicActions,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** What a wallet takes from a prepare answer. */
export type Signable = {
  unsignedTransactions: { to: Address; data: Hex; value: string; chainId: number; from: Address }[];
  gasEstimates: { gasLimit: string; maxFeePerGas: string; maxPriorityFeePerGas: string }[];
};

/** Signs the transactions of a prepare answer one after another, within the gas they were given, and waits for each. */
export async function signAndSend(
  rpcUrl: string,
  signer: TestAccount,
  { unsignedTransactions, gasEstimates }: Signable,
): Promise<TransactionReceipt[]> {
  const account = privateKeyToAccount(signer.privateKey);
  const wallet = createWalletClient({ account, chain: devnetChain, transport: http(rpcUrl), pollingInterval: 10 });
  const client = wallet.extend(publicActions);
  const receipts: TransactionReceipt[] = [];
  for (const [index, { to, data, value, chainId, from }] of unsignedTransactions.entries()) {
    const estimate = gasEstimates[index];
    if (estimate === undefined) throw new Error(`transaction ${index} has no gas estimate`);
    if (from !== account.address || chainId !== devnetChain.id)
      throw new Error("the transaction is for another wallet");
    const hash = await wallet.sendTransaction({
      to,
      data,
      value: BigInt(value),
      gas: BigInt(estimate.gasLimit),
      maxFeePerGas: BigInt(estimate.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(estimate.maxPriorityFeePerGas),
    });
    receipts.push(await minedReceipt(client, hash));
  }
  return receipts;
}

/** viem's own wait looks again only when another block comes, and a devnet mines none by itself. */
async function minedReceipt(client: PublicActions, hash: Hex): Promise<TransactionReceipt> {
  let receipt: TransactionReceipt | null = null;
  await waitUntil(`transaction ${hash} to be mined`, async () => {
    receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    });
    return receipt !== null;
  });
  if (receipt === null) throw new Error(`transaction ${hash} has no receipt`);
  return receipt;
}
