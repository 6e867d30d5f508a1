import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import type { Address } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { expectValue, protocolRead } from "./protocolRead";
import { readMany } from "./readMany";
import type { SubscriptionRecord } from "./readSubscriptions";

/**
 * `stranger`: never subscribed to it, or was removed by the janitor. `unsubscribed`: has left, was removed by the provider or failed to pay;
 * may subscribe again.
 */
export type SubscriberStatus = "active" | "unsubscribed" | "stranger";

export type SubscriberTarget = {
  contract: Address;
  record: SubscriptionRecord;
  account: Address;
  block: ChainBlock;
};

const [ACTIVE, CANCELLED] = [0, 1];

/** Code that answers every call with true, in place of the token's: otherwise a token that reverts with 3 or 9 would decide the status. */
const ALWAYS_TRUE = "0x600160005260206000f3";

/**
 * Whether an account is subscribed. The views return the status only with all rows of the account, so a call is made as if the provider
 * removed the account, which costs the same for any number of rows: a revert with 3 means that it is unsubscribed, 9 that it is a
 * stranger, any other reason or no revert that it is subscribed (protocol part 4, unsubscribeByProvider).
 */
export async function readSubscriberStatus(client: ChainClient, target: SubscriberTarget): Promise<SubscriberStatus> {
  const { contract, record, account, block } = target;
  const data = encodeUnsubscribeByProvider(record, account);
  try {
    const call = { from: record.provider, to: contract, data };
    await client.rpc("eth_call", [call, blockReference(block), { [record.token]: { code: ALWAYS_TRUE } }]);
    return "active";
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw asServiceError(error);
    const { code } = decodeRevert(error.data);
    if (code === "3") return "unsubscribed";
    if (code === "9") return "stranger";
    // A revert without a reason: the node takes no state overrides, or does not return reasons. Then the rows are read.
    return code === "" ? readStatusFromRows(client, target) : "active";
  }
}

async function readStatusFromRows(
  client: ChainClient,
  { contract, record, account, block }: SubscriberTarget,
): Promise<SubscriberStatus> {
  const [result] = await readMany(client, [protocolRead(contract, "getAccount", [account])], block);
  const row = expectValue(result, "getAccount").subscriptions.find(({ id }) => id === record.id);
  // The janitor sets the status of those whom it removes to cancelled.
  if (row === undefined || row.status === CANCELLED) return "stranger";
  return row.status === ACTIVE ? "active" : "unsubscribed";
}
