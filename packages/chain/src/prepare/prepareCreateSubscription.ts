import { formatUnits, parseAmount } from "@dueday/core/amounts/decimalText";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { fitsTokenUnits, PROTOCOL_DECIMALS, toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayBounds, type Frequency, frequencyLabel, lastDueDay, toFrequency } from "@dueday/core/calendar/frequency";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { encodeCreateSubscription } from "@dueday/core/calldata/encodeCreateSubscription";
import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import { checkDetails } from "@dueday/core/checkDetails";
import { type Issue, invalidInput } from "@dueday/core/errors";
import { protocolRefusal } from "@dueday/core/refusal";
import type { CreateFacts } from "@dueday/core/schemas/preflight";
import { getAddress, zeroAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { readTokenTerms, type TokenTerms } from "../reads/readTokenTerms";
import { detailsWarnings } from "./prepareEditDetails";
import type { PreparePlan } from "./preparePlan";
import { type PrepareParameters, prepareTransactions } from "./prepareTransactions";
import { summaries } from "./summaries";

/** `amount` is in whole tokens, as text. */
export type NewSubscription = {
  amount: string;
  token: string;
  details: DetailsArgument;
  frequency: number;
  dueDay: number;
};

/**
 * Unsigned createSubscription() by the provider.
 *
 * @throws ServiceError as `prepareTransactions`, and VALIDATION_ERROR with an issue for each field that is not allowed
 */
export async function prepareCreateSubscription(client: ChainClient, parameters: PrepareParameters & NewSubscription) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(
  client: ChainClient,
  parameters: PrepareParameters & NewSubscription,
): Promise<PreparePlan<CreateFacts>> {
  const { chain, block, details, dueDay } = parameters;
  const frequency = toFrequency(parameters.frequency);
  const terms = await readTokenTerms(client, { contract: chain.contract, token: getAddress(parameters.token), block });
  const amount = requireCreatable({ ...parameters, frequency }, terms);
  const { nextUncheckedDay } = terms;
  const { address, symbol, decimals } = terms.token;
  const minimum = amountFields(toTokenUnits(terms.minimum, decimals), decimals);
  const data = encodeCreateSubscription({ amount, token: address, details, frequency, dueDay });
  const firstDay = Math.max(nextUncheckedDay, dayNumber(block.timestamp));
  const facts = {
    token: address,
    tokenSymbol: symbol,
    ...amountFields(toTokenUnits(amount, decimals), decimals),
    minimum: minimum.amount,
    minimumRaw: minimum.amountRaw,
    frequency,
    frequencyLabel: frequencyLabel(frequency),
    dueDay,
    nextDueDate: dayToDate(nextChargeDay({ frequency, dueDay, nextUncheckedDay: firstDay })),
  };
  return {
    facts,
    summary: summaries.create(facts),
    refusals: [],
    warnings: detailsWarnings(details),
    ways: [[{ title: "createSubscription", to: chain.contract, data }]],
    afterwards: "The status answer of createSubscription has the event Create with the id of the new subscription.",
  };
}

/**
 * Checks a new subscription against the rules of the contract and of this service.
 *
 * @returns its amount, 18 decimals
 * @throws ServiceError VALIDATION_ERROR with an issue for each field that is not allowed
 */
function requireCreatable(
  { amount, details, frequency, dueDay }: NewSubscription & { frequency: Frequency },
  terms: TokenTerms,
): bigint {
  const issues = [...checkDetails(details), ...tokenIssues(terms)];
  if (dueDay < 1 || dueDay > lastDueDay(frequency)) {
    issues.push({ code: "OUT_OF_RANGE", path: "dueDay", message: `must be ${dueDayBounds(frequency)}` });
  }
  // Without the protocol's record of the token, the token's decimals have no effect: only the form of the amount is checked.
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
    "5": "is not approved by the protocol: choose one of the approved tokens",
    "20": "is paused by the protocol: wait until it is resumed, or choose another",
  };
  return [{ ...protocolRefusal(code).issue, path: "token", message: messages[code] }];
}

function amountIssues(amount: bigint, { approved, minimum, token }: TokenTerms): Issue[] {
  if (amount === 0n) return [{ code: "OUT_OF_RANGE", path: "amount", message: "must be more than 0" }];
  if (approved && !fitsTokenUnits(amount, token.decimals)) {
    const message = `is more than ${token.symbol} can express: with its ${token.decimals} decimals no payment could be made`;
    return [{ code: "TOO_LARGE", path: "amount", message }];
  }
  if (!approved || amount >= minimum) return [];
  const message = `must be at least ${formatUnits(minimum, PROTOCOL_DECIMALS)} ${token.symbol}`;
  return [{ ...protocolRefusal("18").issue, path: "amount", message }];
}
