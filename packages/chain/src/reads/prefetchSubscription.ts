import { type Address, type Hex, isHex } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { recordsOf, type SubscriptionRecord, subscriptionRead } from "./readSubscriptions";

/**
 * The record of an id in the node's latest state, read while the block to pin is still being looked up. It only decides which
 * provider and token are read along with the pinned record, and saves a round trip. Null for an unknown id and for any failure;
 * never rejects.
 */
export async function prefetchSubscription(
  client: ChainClient,
  { contract, id }: { contract: Address; id: Hex },
): Promise<SubscriptionRecord | null> {
  const { to, data, decode } = subscriptionRead(contract, id);
  try {
    const returned = await client.rpc("eth_call", [{ to, data }, "latest"]);
    if (!isHex(returned)) return null;
    return recordsOf([{ id, result: { ok: true, value: decode(returned) } }]).get(id) ?? null;
  } catch {
    // The pinned read that follows fails in the same way and reports it.
    return null;
  }
}
