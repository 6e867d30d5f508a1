import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import type { SubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { formatUnits } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { LeavingFacts } from "./subscriptionPreflight";

/** What is known of a subscriber who leaves, or is made to. */
export function leavingFacts({ record, token, account, status, feeBalance }: SubscriberFacts): LeavingFacts {
  const units = toTokenUnits(feeBalance, token.decimals);
  return {
    subscription: presentSubscription(record, token),
    subscriber: account,
    status,
    feeBalance: formatUnits(units, token.decimals),
    feeBalanceRaw: units.toString(),
    tokenDecimals: token.decimals,
  };
}
