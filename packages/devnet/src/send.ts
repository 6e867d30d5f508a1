import type { Address, Hex, RpcTransactionReceipt } from "viem";
import type { DevnetClient } from "./client";
import { TransactionReverted } from "./transactionReverted";

export type Call = {
  from: Address;
  /** Without it, `data` deploys a contract. */
  to?: Address;
  data: Hex;
  /** Seconds since 1970 of the block that holds it; the node's own clock by default. */
  at?: number;
  /** 30,000,000 by default: nothing is estimated. */
  gas?: bigint;
};

/**
 * Sends one transaction from an unlocked or impersonated account of a node that mines at once, and returns its receipt.
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
