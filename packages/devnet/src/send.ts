import { type Address, BaseError, type Hex, type RpcTransactionReceipt } from "viem";
import type { DevnetClient } from "./client";

export type Call = {
  from: Address;
  /** If absent, `data` deploys a contract. */
  to?: Address;
  data: Hex;
  /** Time of its block in unix seconds; the node's clock by default. */
  at?: number;
  /** Gas limit, 30,000,000 by default. It is not estimated. */
  gas?: bigint;
};

/** A transaction that was mined and reverted. */
export class TransactionReverted extends Error {
  override name = "TransactionReverted";

  constructor(hash: Hex, from: Address) {
    super(`transaction ${hash} from ${from} reverted`);
  }
}

/**
 * Sends one transaction from an unlocked or impersonated account of a node that mines each transaction at once, and returns
 * its receipt.
 * @throws TransactionReverted
 */
export async function send(client: DevnetClient, call: Call): Promise<RpcTransactionReceipt> {
  const { at, gas = 30_000_000n, ...transaction } = call;
  if (at !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(at) });
  const receipt = await client
    .request({
      method: "eth_sendTransactionSync",
      params: [{ ...transaction, gas: `0x${gas.toString(16)}` }],
    })
    .catch((error: unknown) => afterTimeout(client, error));
  if (receipt.status !== "0x1") throw new TransactionReverted(receipt.transactionHash, call.from);
  return receipt;
}

const POLL_MS = 50;
const MINED_WITHIN_MS = 120_000;

/** anvil waits 30 s for a receipt, which a transaction that uses a whole block's gas takes on a busy machine; its error has the hash. */
async function afterTimeout(client: DevnetClient, error: unknown): Promise<RpcTransactionReceipt> {
  const text = error instanceof BaseError ? error.details : "";
  const hash = /confirm/i.test(text) ? /0x[0-9a-f]{64}/i.exec(text)?.[0] : undefined;
  if (hash === undefined) throw error;
  const deadline = performance.now() + MINED_WITHIN_MS;
  while (performance.now() < deadline) {
    // The result of this method.
    const receipt = await client.transport.request({ method: "eth_getTransactionReceipt", params: [hash] });
    if (receipt !== null) return receipt as RpcTransactionReceipt;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw error;
}
