import { type Address, getAddress, type Hex, numberToHex, type RpcTransactionReceipt } from "viem";
import type { DevnetClient } from "./client";

export type Call = {
  from: Address;
  /** If absent, `data` deploys a contract. */
  to?: Address;
  data: Hex;
  /** Time of its block in unix seconds; the node's clock by default. */
  at?: number | undefined;
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

const MINED_WITHIN_MS = 120_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/**
 * Sends one transaction from an unlocked or impersonated account of a node that mines each transaction at once, and returns
 * its receipt.
 * @throws TransactionReverted
 * @throws Error if it is not mined within 120 s
 */
export async function send(client: DevnetClient, call: Call): Promise<RpcTransactionReceipt> {
  const { at, gas = 30_000_000n, ...transaction } = call;
  if (at !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(at) });
  const hash = await client.request({
    method: "eth_sendTransaction",
    params: [{ ...transaction, gas: numberToHex(gas) }],
  });
  const receipt = await readReceipt(client, hash);
  if (receipt.status !== "0x1") throw new TransactionReverted(receipt.transactionHash, call.from);
  return receipt;
}

/** Deploys a contract with the call's `data`, and returns its address. @throws as `send` */
export async function deploy(client: DevnetClient, call: Omit<Call, "to">): Promise<Address> {
  const { contractAddress, transactionHash } = await send(client, call);
  if (!contractAddress) throw new Error(`transaction ${transactionHash} deployed no contract`);
  return getAddress(contractAddress);
}

/**
 * The receipt of a sent transaction, successful or reverted. A node returns the hash before it has mined; a transaction that
 * uses a whole block's gas takes seconds on a busy machine.
 * @throws Error if it is not mined within 120 s
 */
export async function readReceipt(client: DevnetClient, hash: Hex): Promise<RpcTransactionReceipt> {
  const deadline = performance.now() + MINED_WITHIN_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] });
    if (receipt !== null) return receipt;
    if (performance.now() > deadline) throw new Error(`transaction ${hash} was not mined within ${MINED_WITHIN_MS} ms`);
    await Bun.sleep(pauseMs);
  }
}
