import { type Address, type Hex, isHex } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { recordsOf, type SubscriptionRecord, subscriptionRead } from "./readSubscriptions";

/**
 * What the node's newest state says of an id, asked while the block to pin is still being looked up: it saves a round trip, and
 * is only a guess at whom to ask about next. Null for an unknown id and for any failure; never rejects.
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
    // The pinned read that follows meets the same trouble and reports it.
    return null;
  }
}
