import type { ErrorCode } from "@dueday/core/errors";
import { isAlwaysOn } from "../../http/routes";
import { hasBody, type Operation } from "../../operation/defineOperation";

/** Errors of every operation, besides its own. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  "VALIDATION_ERROR",
  "UNAUTHORIZED",
  "NOT_ACCEPTABLE",
  "RATE_LIMITED",
  "INTERNAL",
  "UPSTREAM_TIMEOUT",
  // A key or a session can't be looked up.
  "UPSTREAM_UNAVAILABLE",
];
/** Errors of a request that may change something, in the session of a browser. */
const CHANGE_ERRORS: readonly ErrorCode[] = ["ORIGIN_REFUSED"];
/** Errors of the operations that API_ENABLED switches off. */
const SWITCH_ERRORS: readonly ErrorCode[] = ["API_DISABLED"];
/** Errors of the operations that take minBlock. */
const MIN_BLOCK_ERRORS: readonly ErrorCode[] = ["NOT_INDEXED"];
const BODY_ERRORS: readonly ErrorCode[] = ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];

/** Every code that the operation can fail with: its own, and those of the steps that come before it. */
export function errorCodesOf({ http, chainScoped, errors }: Operation): ReadonlySet<ErrorCode> {
  return new Set([
    ...COMMON_ERRORS,
    ...(http.method === "GET" ? [] : CHANGE_ERRORS),
    ...(hasBody(http.method) ? BODY_ERRORS : []),
    ...(isAlwaysOn(http.path) ? [] : SWITCH_ERRORS),
    ...(chainScoped ? MIN_BLOCK_ERRORS : []),
    ...errors,
  ]);
}
