import { ServiceError } from "@dueday/core/errors";
import type { Subscription } from "@dueday/core/schema";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { presentSubscription } from "../reads/presentSubscription";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readSubscriptionFacts } from "../reads/readSubscriptionFacts";

export type SubscriptionAtBlock = { contract: Address; id: Hex; block: ChainBlock };

/** A subscription as answers show it. Throws ServiceError NOT_FOUND for an unknown id, UPSTREAM_* where the node fails. */
export async function readSubscription(
  client: ChainClient,
  target: SubscriptionAtBlock,
): Promise<{ subscription: Subscription }> {
  const found = await readSubscriptionFacts(client, { ...target, prefetched: null });
  if (found === null) throw unknownSubscription(client.chain.id, target.id);
  return { subscription: presentSubscription(found.record, found.token) };
}

/**
 * What `address` has prepaid for the keepers of a subscription; 0 for an address that never subscribed. Throws ServiceError
 * NOT_FOUND for an unknown id, UPSTREAM_* where the node fails.
 */
export async function readFeeBalance(
  client: ChainClient,
  { address, ...target }: SubscriptionAtBlock & { address: Address },
) {
  const { contract, id, block } = target;
  const [found, [feeBalance]] = await Promise.all([
    readSubscriptionFacts(client, { ...target, prefetched: null }),
    readMany(client, [protocolRead(contract, "feeBalance", [id, address])], block),
  ]);
  if (found === null) throw unknownSubscription(client.chain.id, id);
  return {
    id,
    account: address,
    address,
    ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), found.token.decimals),
  };
}

/** The error for an id that the contract does not know. `path` is the field of the request that contains the id. */
export function unknownSubscription(chainId: number, id: Hex, path = "id"): ServiceError {
  const message = `No subscription has the id ${id} on chain ${chainId}; check the id and the chain`;
  return new ServiceError("NOT_FOUND", message, { issues: [{ code: "UNKNOWN_ID", path, message }] });
}
