import { parseAmount } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { Issue } from "@dueday/core/errors";
import type { SubscriptionObject } from "@dueday/core/schemas/subscriptionObject";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";

/**
 * One issue for each field in which a caller's subscription differs from the chain's record. Amounts are compared in token units, as
 * reads show them: the record's digits beyond the token's decimals are cut off.
 */
export function compareSubscription(believed: SubscriptionObject, { record, token }: SubscriptionFacts): Issue[] {
  const actual = presentSubscription(record, token);
  const issues: Issue[] = [];
  const differs = (field: keyof typeof actual, message = `is ${actual[field]} on chain`) =>
    issues.push({ code: "DIFFERS_FROM_CHAIN", path: `subscription.${field}`, message });

  const { amount, provider, token: believedToken, cancelled, frequency, dueDay } = believed;
  if (amount !== undefined) {
    const parsed = parseAmount(amount, token.decimals);
    const units = "amount" in parsed ? toTokenUnits(parsed.amount, token.decimals) : null;
    if (units !== toTokenUnits(record.amount, token.decimals)) differs("amount");
  }
  if (provider !== undefined && !sameAddress(provider, actual.provider)) differs("provider");
  if (believedToken !== undefined && !sameAddress(believedToken, actual.token)) differs("token");
  if (cancelled !== undefined && cancelled !== actual.cancelled) differs("cancelled");
  if (frequency !== undefined && frequency !== actual.frequency) {
    differs("frequency", `is ${actual.frequency} (${actual.frequencyLabel}) on chain`);
  }
  if (dueDay !== undefined && dueDay !== actual.dueDay) differs("dueDay");
  for (const field of ["tokenSymbol", "amountRaw", "tokenDecimals", "frequencyLabel"] as const) {
    if (believed[field] !== undefined && believed[field] !== actual[field]) differs(field);
  }
  return issues;
}

function sameAddress(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
