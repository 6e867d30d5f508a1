import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import { type GivenRenewal, readRenewal } from "@dueday/chain/prepare/planApprove";
import type { PlanChange } from "@dueday/chain/prepare/prepareChangePlan";
import type { NewSubscription } from "@dueday/chain/prepare/prepareCreateSubscription";
import { requireDetails } from "@dueday/chain/prepare/prepareEditDetails";
import { requireProfile } from "@dueday/chain/prepare/prepareEditProviderProfile";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { type GivenApproval, MOST_APPROVAL_PERIODS, readApproval } from "@dueday/chain/prepare/readApproval";
import type { PlanPage } from "@dueday/chain/remit/pageRemitPlan";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { requestedDay } from "@dueday/core/calendar/requestedDay";
import type { ProviderDetailsArgument } from "@dueday/core/calldata/encodeEditProvDetails";
import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import { validationError } from "@dueday/core/errors";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import { type PaymentFilterInput, readPaymentFilter } from "@dueday/core/remit/paymentFilter";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { WALK_DAYS } from "@dueday/core/walk/coverage";
import { type Address, getAddress, type Hex, isHash } from "viem";

/** Checks of inputs that the service's schemas make over HTTP. All throw ServiceError VALIDATION_ERROR. */

/** A checksummed address. */
export function requireAddress(path: string, value: string): Address {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) return getAddress(toLowerCase(value));
  throw validationError(path, "MALFORMED", "must be an address: 0x and 40 hex digits");
}

/** 32 bytes in lower case. */
export function requireBytes32(path: string, value: string): Hex {
  const lower = typeof value === "string" ? toLowerCase(value) : "";
  if (isHash(lower) && /^0x[0-9a-f]{64}$/.test(lower)) return lower;
  throw validationError(path, "MALFORMED", "must be 32 bytes: 0x and 64 hex digits");
}

/** The hash of a transaction. */
export function requireTransaction({ txHash }: { txHash: string }) {
  return { hash: requireBytes32("txHash", txHash) };
}

type Page = { first: number; skip: number };
type GivenPage = { first?: number | undefined; skip?: number | undefined };

const [FIRST_DEFAULT, FIRST_LIMIT, SKIP_LIMIT] = [50, 200, 5_000];

/** The page of a list, with the service's defaults. */
export function requirePage({ first = FIRST_DEFAULT, skip = 0 }: GivenPage): Page {
  return { first: requireInteger("first", first, 1, FIRST_LIMIT), skip: requireInteger("skip", skip, 0, SKIP_LIMIT) };
}

export function requireInteger(path: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw validationError(path, "OUT_OF_RANGE", `must be an integer, ${minimum} to ${maximum}`);
}

/** How an input names a subscription. */
export function requireReference(input: SubscriptionReference): SubscriptionReference {
  if (!("subscription" in input)) return { id: requireBytes32("id", input.id) };
  requireBytes32("subscription.id", input.subscription.id);
  return { subscription: input.subscription };
}

/** The caller of a plan; none where the input has no `from`, so that the default of the chain applies. */
export function requireCaller({ from }: { from?: string | undefined }): { from?: Address } {
  return from === undefined ? {} : { from: requireAddress("from", from) };
}

/** An account, and the page of a list about it. */
export function requireAccount({ address, ...page }: { address: string } & GivenPage) {
  return { account: requireAddress("address", address), ...requirePage(page) };
}

/** An account, the side that is listed, and the page of the list. */
export function requireAccountList({
  bySubscriber = false,
  ...input
}: Parameters<typeof requireAccount>[0] & { bySubscriber?: boolean | undefined }) {
  return { ...requireAccount(input), bySubscriber };
}

/** A subscription, and the subscriber whose fee balance is read. */
export function requireFeeBalanceQuery({ id, address }: { id: string; address: string }) {
  return { id: requireBytes32("id", id), address: requireAddress("address", address) };
}

/** An account, and the days after today that its health is about. */
export function requireHealthQuery({ address, days = FORECAST_DAYS }: { address: string; days?: number | undefined }) {
  return { account: requireAddress("address", address), days: requireInteger("days", days, 1, WALK_DAYS) };
}

type GivenPlanPage = GivenPage & { from?: string | undefined } & Pick<PlanPage, "transaction"> & {
    price?: readonly string[] | undefined;
  };

/** The caller of a plan, and the page of its payments. */
export function requirePlanPage({ from, transaction, price: prices, ...page }: GivenPlanPage) {
  return { ...requireCaller({ from }), transaction, prices, ...requirePage(page) };
}

/** The payments that a forecast selects, and its days; a null filter selects all payments. */
export function requireForecastQuery(input: PaymentFilterInput) {
  return { filter: readPaymentFilter(input), daysAhead: FORECAST_DAYS };
}

type GivenDue = GivenPage &
  PaymentFilterInput &
  Parameters<typeof requestedDay>[0] & { frequency?: number | undefined };

/** A due day, and the page of its lists. */
export function requireDueQuery({ frequency, ...input }: GivenDue) {
  const only = frequency === undefined ? undefined : toFrequency(requireInteger("frequency", frequency, 0, 3));
  return { day: requestedDay(input), frequency: only, filter: readPaymentFilter(input), ...requirePage(input) };
}

type Signed = PrepareInput & { from: Address };

/** What every prepare takes. */
export function requirePrepareInput({ from, readinessOnly, simulateFromAddress, paymasterUrl }: PrepareInput): Signed {
  return {
    from: requireAddress("from", from),
    readinessOnly,
    paymasterUrl,
    simulateFromAddress:
      simulateFromAddress === undefined ? undefined : requireAddress("simulateFromAddress", simulateFromAddress),
  };
}

/** What a prepare on a subscription takes. */
export function requirePrepareOn(input: PrepareInput & SubscriptionReference): Signed & SubscriptionReference {
  return { ...requirePrepareInput(input), ...requireReference(input) };
}

/** What subscribing takes. */
export function requireSubscribe(input: PrepareInput & SubscriptionReference & GivenApproval) {
  return { ...requirePrepareOn(input), approval: readApproval(input) };
}

/** What changing from one subscription to another takes. */
export function requirePlanChange(input: PrepareInput & PlanChange & GivenApproval) {
  const [leave, join] = [requireBytes32("leave", input.leave), requireBytes32("join", input.join)];
  return { ...requirePrepareInput(input), leave, join, approval: readApproval(input) };
}

/** What a renewal of an allowance takes. */
export function requireRenewal(input: PrepareInput & GivenRenewal) {
  const sent = requirePrepareInput(input);
  const renewal = readRenewal(input);
  return "id" in renewal ? { ...requirePrepareOn({ ...sent, id: renewal.id }), renewal } : { ...sent, renewal };
}

/** What renewing an allowance by a signature takes. */
export function requirePermit(input: { from: string; token: string; approvalPeriods: number }) {
  return {
    ...requirePrepareInput({ from: input.from }),
    token: requireAddress("token", input.token),
    approvalPeriods: requireInteger("approvalPeriods", input.approvalPeriods, 1, MOST_APPROVAL_PERIODS),
  };
}

/** What removing a subscriber takes. */
export function requireRemoval({
  subscriber,
  ...input
}: PrepareInput & SubscriptionReference & { subscriber: string }) {
  return { ...requirePrepareOn(input), subscriber: requireAddress("subscriber", subscriber) };
}

/** What replacing a subscription's texts takes. */
export function requireEdit(input: PrepareInput & { id: string; details: DetailsArgument }) {
  return { ...requirePrepareOn(input), details: requireDetails(input.details) };
}

/** What replacing a provider's profile takes. */
export function requireProfileEdit(input: PrepareInput & { profile: ProviderDetailsArgument }) {
  return { ...requirePrepareInput(input), profile: requireProfile(input.profile) };
}

/** What creating a subscription takes. */
export function requireCreation({
  from,
  readinessOnly,
  simulateFromAddress,
  paymasterUrl,
  ...terms
}: PrepareInput & NewSubscription) {
  return {
    ...requirePrepareInput({ from, readinessOnly, simulateFromAddress, paymasterUrl }),
    ...terms,
    token: requireAddress("token", terms.token),
    dueDay: requireInteger("dueDay", terms.dueDay, 1, 365),
    frequency: requireInteger("frequency", terms.frequency, 0, 3),
  };
}
