import { type RevertName, revertNames } from "./reverts/revert";

/** Faults of a request, and reasons why it is refused. docs/errors.md describes each. */
const ownIssues = [
  // a field
  ...(["REQUIRED", "WRONG_TYPE", "MALFORMED", "WRONG_LENGTH", "OUT_OF_RANGE", "NOT_ALLOWED"] as const),
  ...(["UNKNOWN_KEY", "MISPLACED", "REPEATED", "CONTRADICTION", "WRONG_CHECKSUM", "ZERO_ADDRESS"] as const),
  ...(["TOO_FINE", "TOO_LARGE", "UNKNOWN_BLOCK", "UNKNOWN_CHAIN", "UNKNOWN_TOOLSET"] as const),
  // the request as a whole
  ...(["INVALID_JSON", "INVALID_REQUEST", "HOST_REFUSED", "LANE_REQUIRED"] as const),
  // a subscription
  ...(["UNKNOWN_ID", "DIFFERS_FROM_CHAIN"] as const),
  // remit()
  ...(["CAUGHT_UP", "NOTHING_DUE", "BLOCKED", "NO_PROGRESS", "GAS_LIMIT"] as const),
  // signing in to the developer portal
  ...(["UNKNOWN_NONCE", "EXPIRED", "WRONG_DOMAIN", "WRONG_CHAIN", "WRONG_ADDRESS", "CHANGED"] as const),
  ...(["WRONG_SIGNATURE"] as const),
] as const;

/** Every code of an issue: the service's own, and the names of reverts. */
export type IssueCode = (typeof ownIssues)[number] | RevertName;

export const issueCodes: readonly IssueCode[] = [...ownIssues, ...revertNames];

/** Every code of a warning. docs/errors.md describes each. */
export const warningCodes = [
  // an approval, and what it has to cover
  ...(["ONE_PERIOD_APPROVAL", "SHARED_ALLOWANCE", "LOWERS_ALLOWANCE", "LOW_BALANCE", "LATE_REMIT"] as const),
  // a subscription
  ...(["IRREVERSIBLE", "FEE_BALANCE_TO_PROVIDER", "URL_NOT_HTTPS", "TEXT_WILL_BE_CLEANED"] as const),
  // gas
  ...(["NO_GAS", "GAS_CAP_NEAR", "SIMULATE_FROM_FAILED", "SIMULATE_FROM_DIFFERS"] as const),
  // remit()
  ...(["SEVERAL_TRANSACTIONS", "EXPECTED_FAILURES", "ENDS_BLOCKED", "PLAN_LIMIT", "MISSED_PAYMENTS"] as const),
  ...(["FEES_NOT_RECEIVED", "PAYMENTS_UNKNOWN", "PERMITS_UNKNOWN", "UNPRICED_TOKEN", "STALE_SNAPSHOT"] as const),
] as const;
export type WarningCode = (typeof warningCodes)[number];
