import {
  type Account,
  type Address,
  type Chain,
  type Client,
  type Hex,
  type ReplacementReason,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
} from "viem";
import {
  getCapabilities,
  getTransactionReceipt,
  sendCalls,
  sendTransaction,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from "viem/actions";
import { DuedayError } from "../http/duedayError";
import { sleep } from "../sleep";
import type { CheckedTransaction } from "./checkPrepared";

/** A wallet client of viem, or any client whose transport can sign. */
export type WalletClient = Client<Transport, Chain | undefined, Account | undefined>;

const FIRST_LOOKS_MS = [5, 20, 75, 200];
const LOOK_AGAIN_MS = 15_000;
const MINED_WITHIN_MS = 180_000;

/** What the chain keeps of a transaction. */
export type ActionReceipt = {
  transactionHash: Hex;
  blockNumber: bigint;
  logs: readonly { address: Address; data: Hex; topics: readonly Hex[] }[];
};

/** Called with each hash (or, for a batch of all transactions, its id) as soon as the wallet has signed. */
export type OnSent = (id: string, sent: { isBatch: boolean }) => void;

export type SendOptions = {
  account: Account | Address;
  onSent?: OnSent | undefined;
  /** A paymaster (ERC-7677) that pays the gas, used where the wallet has `paymasterService`. */
  paymasterUrl?: string | undefined;
};

/**
 * Has the wallet sign and send transactions: several in one batch where the wallet has atomic batches (EIP-5792), else one after
 * another, each after the receipt of the one before. Waits until all are mined. With a paymaster that the wallet
 * supports, it is always a batch. A wallet that has switched to another chain meanwhile is refused.
 *
 * @throws DuedayError TRANSACTION_FAILED when one reverts, or its owner replaces it by another one; then later ones are not sent
 */
export async function sendTransactions(
  client: WalletClient,
  transactions: readonly CheckedTransaction[],
  { account, onSent, paymasterUrl }: SendOptions,
): Promise<ActionReceipt[]> {
  const [first] = transactions;
  if (first === undefined) return [];
  const chain = client.chain ?? chainOf(first.chainId);
  if (transactions.length > 1 || paymasterUrl !== undefined) {
    const { batches, paymasters } = await readCapabilities(client, account, first.chainId);
    const isSponsored = paymasterUrl !== undefined && paymasters;
    // A paymaster can only be named with a batch, which may have one call.
    if (isSponsored || (transactions.length > 1 && batches)) {
      return sendBatch(client, transactions, { account, chain, onSent, ...(isSponsored && { paymasterUrl }) });
    }
  }
  const receipts: ActionReceipt[] = [];
  for (const { to, data, value } of transactions) {
    const hash = await sendTransaction(client, { account, chain, to, data, value });
    onSent?.(hash, { isBatch: false });
    const { status, transactionHash, blockNumber, logs } = await waitForReceipt(client, hash);
    if (status !== "success") throw failed(hash);
    receipts.push({ transactionHash, blockNumber, logs });
  }
  return receipts;
}

/** What viem needs of a chain to compare it with the wallet's before each signature. */
function chainOf(id: number): Chain {
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  return { id, name: `chain ${id}`, nativeCurrency, rpcUrls: { default: { http: [] } } };
}

/**
 * viem looks for a receipt again only at its polling interval, and when another block comes. A chain that mines on demand has mined
 * within milliseconds, and may mine no other block: so the receipt is looked for at once, and again from time to time.
 */
async function waitForReceipt(client: WalletClient, hash: Hex): Promise<TransactionReceipt> {
  for (const pauseMs of FIRST_LOOKS_MS) {
    await sleep(pauseMs);
    const receipt = await findReceipt(client, hash);
    if (receipt !== null) return receipt;
  }
  let isReplaced = false;
  const onReplaced = ({ reason }: { reason: ReplacementReason }) => {
    // A repriced transaction is the same one with another gas price.
    isReplaced = reason !== "repriced";
  };
  for (let waitedMs = LOOK_AGAIN_MS; ; waitedMs += LOOK_AGAIN_MS) {
    try {
      const receipt = await waitForTransactionReceipt(client, { hash, timeout: LOOK_AGAIN_MS, onReplaced });
      if (isReplaced) throw replaced(hash);
      return receipt;
    } catch (error) {
      if (!(error instanceof WaitForTransactionReceiptTimeoutError) || waitedMs >= MINED_WITHIN_MS) throw error;
    }
  }
}

async function findReceipt(client: WalletClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await getTransactionReceipt(client, { hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

async function sendBatch(
  client: WalletClient,
  transactions: readonly CheckedTransaction[],
  { account, chain, onSent, paymasterUrl }: SendOptions & { chain: Chain },
): Promise<ActionReceipt[]> {
  const { id } = await sendCalls(client, {
    account,
    chain,
    calls: transactions.map(({ to, data, value }) => ({ to, data, value })),
    // The calls are safe one after another, and wallets without atomic batches must be able to accept them.
    forceAtomic: false,
    ...(paymasterUrl !== undefined && { capabilities: { paymasterService: { url: paymasterUrl } } }),
  });
  onSent?.(id, { isBatch: true });
  const { status, receipts = [] } = await waitForCallsStatus(client, { id, timeout: MINED_WITHIN_MS });
  if (status !== "success" || receipts.some((receipt) => receipt.status !== "success")) throw failed(id);
  return receipts.map(({ transactionHash, blockNumber, logs }) => ({ transactionHash, blockNumber, logs }));
}

/** What the wallet supports of EIP-5792: nothing if it does not know the method. */
async function readCapabilities(client: WalletClient, account: Account | Address, chainId: number) {
  try {
    const { atomic, paymasterService } = await getCapabilities(client, { account, chainId });
    const batches = atomic?.status === "supported" || atomic?.status === "ready";
    return { batches, paymasters: paymasterService?.supported === true };
  } catch {
    return { batches: false, paymasters: false };
  }
}

function failed(id: string): DuedayError {
  return new DuedayError("TRANSACTION_FAILED", `Transaction ${id} was mined and reverted, or could not be mined`);
}

function replaced(hash: Hex): DuedayError {
  return new DuedayError(
    "TRANSACTION_FAILED",
    `Transaction ${hash} was cancelled or replaced by another one in the wallet`,
  );
}
