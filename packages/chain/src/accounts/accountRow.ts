import { saturate } from "@dueday/core/amounts/saturate";
import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { ServiceError } from "@dueday/core/errors";
import type { SubscriptionRow } from "@dueday/core/schemas/account";
import { statusLabel } from "@dueday/core/subscriptionStatus";
import { presentSubscription } from "../reads/presentSubscription";
import { expectValue } from "../reads/protocolRead";
import type { AccountRow } from "../reads/readAccountRows";
import type { ReadResult } from "../reads/readMany";

/** A row of an account as answers show it; `token` is the subscription's. */
export function presentAccountRow({ record, status, totalSubscribers }: AccountRow, token: TokenInfo): SubscriptionRow {
  return {
    subscription: presentSubscription(record, token),
    status,
    statusLabel: statusLabel(status),
    totalSubscribers: saturate(totalSubscribers),
  };
}

/**
 * All rows of an account. The contract can't return a part of them, so an account with some thousand rows can't be read.
 *
 * @throws ServiceError UPSTREAM_ERROR that names the reads to use instead.
 */
export function expectAccountRows(result: ReadResult<AccountRow[]>): AccountRow[] {
  if (result.ok || !result.outOfGas) return expectValue(result, "getAccountSubscriptions");
  throw new ServiceError(
    "UPSTREAM_ERROR",
    "This account has more subscriptions than the chain's node can return at once. Search subscriptions by provider for those it " +
      "created, and read its activity for those that it subscribed to",
    { details: { read: "getAccountSubscriptions", outOfGas: true }, retryable: false },
  );
}
