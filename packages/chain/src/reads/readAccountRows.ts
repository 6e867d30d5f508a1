import { toFrequency } from "@dueday/core/calendar/frequency";
import type { Address } from "viem";
import type { ContractRead } from "./contractRead";
import { protocolRead } from "./protocolRead";
import type { SubscriptionRecord } from "./readSubscriptions";

/** One row of an account: a subscription that it subscribed to, or created. */
export type AccountRow = {
  record: SubscriptionRecord;
  /** 0..2; the status of a subscriber's row stays active when the provider cancels (protocol part 1). */
  status: number;
  /** Size of the subscriber set, entries on the unsubscribed list included. */
  totalSubscribers: bigint;
};

/**
 * Reads all rows of an account, in the order of first subscribing or creating. The contract has no paged view: an account with
 * some thousand rows needs more gas than a node allows, and its read is `outOfGas`.
 */
export function accountRowsRead(
  contract: Address,
  { account, bySubscriber }: { account: Address; bySubscriber: boolean },
): ContractRead<AccountRow[]> {
  const { to, data, decode } = protocolRead(contract, "getAccountSubscriptions", [bySubscriber, account]);
  return {
    to,
    data,
    decode: (returned) =>
      decode(returned).map(({ subscription, status, totalSubscribers }) => ({
        record: { ...subscription, frequency: toFrequency(subscription.frequency) },
        status,
        totalSubscribers,
      })),
  };
}
