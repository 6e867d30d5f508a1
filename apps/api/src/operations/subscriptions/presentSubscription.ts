import type { SubscriptionRecord } from "@dueday/chain/reads/readSubscriptions";
import { amountFields, type TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { frequencyLabel } from "@dueday/core/calendar/frequency";
import type { Subscription } from "@dueday/core/schema";

/** A subscription as answers show it; `token` is the info of its token. */
export function presentSubscription(record: SubscriptionRecord, token: TokenInfo): Subscription {
  const { id, provider, amount, frequency, dueDay, cancelled } = record;
  return {
    id,
    provider,
    token: token.address,
    tokenSymbol: token.symbol,
    ...amountFields(toTokenUnits(amount, token.decimals), token.decimals),
    frequency,
    frequencyLabel: frequencyLabel(frequency),
    dueDay,
    cancelled,
  };
}
