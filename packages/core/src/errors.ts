import { type Static, Type } from "@sinclair/typebox";
import { type IssueCode, issueCodes, warningCodes } from "./codes";
import type { Revert } from "./reverts/revert";
import { described, oneLine, oneOf, Sentence } from "./schema";
import { cleanText } from "./text/cleanText";

/** The most characters of a field's name in a fault. An unknown key of a request can be longer, and is cut. */
const PATH_CHARACTERS = 200;

/** One fault, in errors and readiness answers. `path` is present only where the fault concerns a field. */
export const Issue = Type.Object({
  code: oneOf(issueCodes, "Stable code for programs"),
  path: Type.Optional(
    described(oneLine(PATH_CHARACTERS), "The field that it concerns, e.g. dueDay or subscription.amount"),
  ),
  message: Sentence,
});
export type Issue = Static<typeof Issue>;

/** A hint in an answer that succeeds. */
export const Warning = Type.Object({
  code: oneOf(warningCodes, "Stable code for programs"),
  message: Sentence,
});
export type Warning = Static<typeof Warning>;

/** The most issues that an answer lists: a request body can have thousands of unknown keys. */
const ISSUES = 20;

/** Faults of a request, or rules that refuse it. */
export const Issues = Type.Array(Issue, { maxItems: ISSUES });

/** Hints, at most one of each code; there are fewer than 50 codes. */
export const Warnings = Type.Array(Warning, { maxItems: 50 });

/** Every error code of the service, with the HTTP status it is answered with. */
export const errorStatus = {
  VALIDATION_ERROR: 400,
  URL_REFUSED: 400,
  UNAUTHORIZED: 401,
  SESSION_REQUIRED: 401,
  SIGN_IN_REFUSED: 401,
  LANE_REQUIRED: 403,
  KEYS_DISABLED: 403,
  WEBHOOKS_DISABLED: 403,
  REMINDERS_DISABLED: 403,
  PORTAL_DISABLED: 403,
  ORIGIN_REFUSED: 403,
  RETURN_URL_REFUSED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  NOT_READY: 409,
  PERMIT_UNSUPPORTED: 409,
  MAX_KEYS: 409,
  MAX_WEBHOOKS: 409,
  CHALLENGE_REQUIRED: 409,
  EVENTS_GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  SIMULATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UPSTREAM_ERROR: 502,
  UPSTREAM_UNAVAILABLE: 503,
  NOT_INDEXED: 503,
  API_DISABLED: 503,
  UPSTREAM_TIMEOUT: 504,
} as const;
export type ErrorCode = keyof typeof errorStatus;

export type ServiceErrorOptions = {
  issues?: Issue[];
  revert?: Revert;
  /** Response headers that belong to the error, e.g. Allow or Retry-After. */
  headers?: Record<string, string>;
  /** Further public fields of the body, e.g. `lane` and `upgradeHint` of a 429. */
  body?: Record<string, unknown>;
  /** Facts for the log line only; never sent to a client. */
  details?: Record<string, unknown>;
  /** Whether the same request may succeed later without any change. */
  retryable?: boolean;
  cause?: unknown;
};

/**
 * The only error that a client may see. `message` is public; an upstream's error goes into `cause` and `details`, which
 * are only logged. Anything else that is thrown becomes INTERNAL.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly revert: Revert | undefined;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  readonly details: Record<string, unknown>;
  readonly retryable: boolean;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ServiceErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.status = errorStatus[code];
    this.issues = options.issues;
    this.revert = options.revert;
    this.headers = options.headers ?? {};
    this.body = options.body ?? {};
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? this.status >= 502;
  }
}

/** The ServiceError for one invalid field. */
export function validationError(path: string, code: IssueCode, message: string): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `${path} ${message}`, { issues: [{ code, path, message }] });
}

/** A ServiceError for an input with all of its faults; the message names the first. */
export function invalidInput(issues: readonly Issue[]): ServiceError {
  const listed = issues.slice(0, ISSUES).map(cutPath);
  const [first] = listed;
  const sentence =
    first === undefined ? "The request is not valid" : [first.path, first.message].filter(Boolean).join(" ");
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more, see issues)` : "";
  return new ServiceError("VALIDATION_ERROR", `${sentence}${others}`, { issues: listed });
}

function cutPath(issue: Issue): Issue {
  return issue.path === undefined ? issue : { ...issue, path: cleanText(issue.path, PATH_CHARACTERS).text };
}
