import { amountFields, type TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { frequencyLabel } from "@dueday/core/calendar/frequency";
import type { Subscription } from "@dueday/core/schema";
import type { SubscriptionRecord } from "./readSubscriptions";

/** A contract's record as every answer shows it: with its token's symbol, and the amount in the token's own terms. */
export function presentSubscription(record: SubscriptionRecord, token: TokenInfo): Subscription {
  return {
    id: record.id,
    provider: record.provider,
    token: token.address,
    tokenSymbol: token.symbol,
    ...amountFields(toTokenUnits(record.amount, token.decimals), token.decimals),
    frequency: record.frequency,
    frequencyLabel: frequencyLabel(record.frequency),
    dueDay: record.dueDay,
    cancelled: record.cancelled,
  };
}
