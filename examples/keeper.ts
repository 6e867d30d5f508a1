import { duedayActions } from "@dueday/sdk/actions";
import { createLocalDueday, type LocalDueday } from "@dueday/sdk/local";
import { type Chain, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

type Totals = Awaited<ReturnType<LocalDueday["getRemitReadiness"]>>["totals"];

export type KeeperOptions = {
  rpcUrl: string;
  chain: Chain;
  contract: Hex;
  key: Hex;
  /** Whether settling pays for its gas. `totals` has the fees by token, and the cost in ether. */
  isWorthIt(totals: Totals): boolean;
};

/** A keeper that needs no service: it plans against its own node and settles what is due. Returns the hashes of its transactions. */
export async function settleBacklog({ rpcUrl, chain, contract, key, isWorthIt }: KeeperOptions): Promise<Hex[]> {
  const wallet = createWalletClient({ account: privateKeyToAccount(key), chain, transport: http(rpcUrl) });
  const dueday = createLocalDueday({ client: wallet, contract });
  const keeper = wallet.extend(duedayActions({ dueday, contract }));
  const hashes: Hex[] = [];
  for (;;) {
    const { ready, totals } = await dueday.getRemitReadiness({ from: wallet.account.address });
    if (!ready || !isWorthIt(totals)) return hashes;
    const { receipts } = await keeper.remit();
    hashes.push(...receipts.map(({ transactionHash }) => transactionHash));
  }
}
