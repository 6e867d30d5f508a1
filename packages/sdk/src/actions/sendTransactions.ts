import {
  type Account,
  type Address,
  type Chain,
  type Client,
  type Hex,
  type TransactionReceipt,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
} from "viem";
import {
  getCapabilities,
  sendCalls,
  sendTransaction,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from "viem/actions";
import { DuedayError } from "../http/duedayError";
import type { CheckedTransaction } from "./checkPrepared";

/** A wallet client of viem, or any client whose transport can sign. */
export type WalletClient = Client<Transport, Chain | undefined, Account | undefined>;

const LOOK_AGAIN_MS = 15_000;
const MINED_WITHIN_MS = 180_000;

/** What the chain keeps of a transaction. */
export type ActionReceipt = {
  transactionHash: Hex;
  blockNumber: bigint;
  logs: readonly { address: Address; data: Hex; topics: readonly Hex[] }[];
};

export type SendOptions = {
  account: Account | Address;
  /** Called with each hash (or, for a batch, its id) as soon as the wallet has signed. */
  onSent?: ((id: string) => void) | undefined;
};

/**
 * Has the wallet sign and send transactions, and waits until all are mined: in one batch where the wallet has EIP-5792, else one
 * after another, each after the receipt of the one before.
 *
 * @throws DuedayError TRANSACTION_FAILED when one reverts; then later ones are not sent
 */
export async function sendTransactions(
  client: WalletClient,
  transactions: readonly CheckedTransaction[],
  { account, onSent }: SendOptions,
): Promise<ActionReceipt[]> {
  const [first] = transactions;
  if (first === undefined) return [];
  const isBatch = transactions.length > 1 && (await takesBatches(client, account, first.chainId));
  if (isBatch) return sendBatch(client, transactions, { account, onSent });
  const receipts: ActionReceipt[] = [];
  for (const { to, data, value } of transactions) {
    const hash = await sendTransaction(client, { account, chain: client.chain ?? null, to, data, value });
    onSent?.(hash);
    const { status, transactionHash, blockNumber, logs } = await waitForReceipt(client, hash);
    if (status !== "success") throw failed(hash);
    receipts.push({ transactionHash, blockNumber, logs });
  }
  return receipts;
}

/**
 * viem looks for a receipt again only when another block comes. On a chain that mines on demand none may come, so it is asked again
 * from time to time.
 */
async function waitForReceipt(client: WalletClient, hash: Hex): Promise<TransactionReceipt> {
  for (let waitedMs = LOOK_AGAIN_MS; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      return await waitForTransactionReceipt(client, { hash, timeout: LOOK_AGAIN_MS });
    } catch (error) {
      if (!(error instanceof WaitForTransactionReceiptTimeoutError) || waitedMs >= MINED_WITHIN_MS) throw error;
    }
  }
}

async function sendBatch(
  client: WalletClient,
  transactions: readonly CheckedTransaction[],
  { account, onSent }: SendOptions,
): Promise<ActionReceipt[]> {
  const { id } = await sendCalls(client, {
    account,
    chain: client.chain,
    calls: transactions.map(({ to, data, value }) => ({ to, data, value })),
    // They are safe one after another, and wallets without atomic batches must be able to take them.
    forceAtomic: false,
  });
  onSent?.(id);
  const { status, receipts = [] } = await waitForCallsStatus(client, { id });
  if (status !== "success" || receipts.some((receipt) => receipt.status !== "success")) throw failed(id);
  return receipts.map(({ transactionHash, blockNumber, logs }) => ({ transactionHash, blockNumber, logs }));
}

/** A wallet that does not know the method has no batches. */
async function takesBatches(client: WalletClient, account: Account | Address, chainId: number): Promise<boolean> {
  try {
    const { atomic } = await getCapabilities(client, { account, chainId });
    return atomic?.status === "supported" || atomic?.status === "ready";
  } catch {
    return false;
  }
}

function failed(id: string): DuedayError {
  return new DuedayError("TRANSACTION_FAILED", `Transaction ${id} was mined and reverted, or could not be mined`);
}
