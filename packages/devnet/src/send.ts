import type { Address, Hex, RpcTransactionReceipt } from "viem";
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
  const receipt = await client.request({
    method: "eth_sendTransactionSync",
    params: [{ ...transaction, gas: `0x${gas.toString(16)}` }],
  });
  if (receipt.status !== "0x1") throw new TransactionReverted(receipt.transactionHash, call.from);
  return receipt;
}
