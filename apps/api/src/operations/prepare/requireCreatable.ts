import type { TokenTerms } from "@dueday/chain/reads/readTokenTerms";
import { formatUnits, parseAmount } from "@dueday/core/amounts/decimalText";
import { PROTOCOL_DECIMALS } from "@dueday/core/amounts/tokenUnits";
import { type Frequency, frequencyLabel, lastDueDay } from "@dueday/core/calendar/frequency";
import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import type { Issue } from "@dueday/core/errors";
import { protocolRefusal } from "@dueday/core/reverts/refusal";
import { checkDetails } from "@dueday/core/text/checkDetails";
import { zeroAddress } from "viem";
import { invalidInput } from "../../operation/checkInput";

export type NewSubscription = { amount: string; details: DetailsArgument; frequency: Frequency; dueDay: number };

/**
 * Holds a new subscription against the contract's rules and our own.
 *
 * @returns its amount, 18 decimals
 * @throws ServiceError VALIDATION_ERROR with an issue for each field that does not do
 */
export function requireCreatable(subscription: NewSubscription, terms: TokenTerms): bigint {
  const { amount, details, frequency, dueDay } = subscription;
  const issues = [...checkDetails(details), ...tokenIssues(terms)];
  const last = lastDueDay(frequency);
  if (dueDay < 1 || dueDay > last) {
    const message = `must be 1..${last} for ${frequencyLabel(frequency).toLowerCase()}`;
    issues.push({ code: "OUT_OF_RANGE", path: "dueDay", message });
  }
  // Without a record of the token its decimals decide nothing: then only the form of the amount can be judged.
  const parsed = parseAmount(amount, terms.approved ? terms.token.decimals : PROTOCOL_DECIMALS);
  if ("fault" in parsed) {
    issues.push({ code: parsed.fault, path: "amount", message: parsed.message });
    throw invalidInput(issues);
  }
  issues.push(...amountIssues(parsed.amount, terms));
  if (issues.length > 0) throw invalidInput(issues);
  return parsed.amount;
}

function tokenIssues({ token, approved, paused }: TokenTerms): Issue[] {
  const code = token.address === zeroAddress ? "4" : !approved ? "5" : paused ? "20" : null;
  if (code === null) return [];
  const messages = {
    "4": "must not be the zero address",
    "5": "is not approved by the protocol: see GET /approved-tokens",
    "20": "is paused by the protocol: wait until it is resumed, or choose another",
  };
  return [{ ...protocolRefusal(code).issue, path: "token", message: messages[code] }];
}

function amountIssues(amount: bigint, { approved, minimum, token }: TokenTerms): Issue[] {
  if (amount === 0n) return [{ code: "OUT_OF_RANGE", path: "amount", message: "must be more than 0" }];
  if (!approved || amount >= minimum) return [];
  const message = `must be at least ${formatUnits(minimum, PROTOCOL_DECIMALS)} ${token.symbol}`;
  return [{ ...protocolRefusal("18").issue, path: "amount", message }];
}
