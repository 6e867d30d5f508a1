import { type ErrorCode, ServiceError } from "@dueday/core/errors";
import type { FailureKind, RpcFailure } from "./rpcOutcome";

/** Parts of the message: the method, and the endpoint where it is known, follow `problem`; then follows `advice`. */
type Text = { code: ErrorCode; problem: string; advice: string };

const OPERATOR = "the operator has to check the node";
const texts: Record<FailureKind, Text> = {
  timeout: { code: "UPSTREAM_TIMEOUT", problem: "did not answer in time", advice: "try again" },
  unreachable: { code: "UPSTREAM_UNAVAILABLE", problem: "can't be reached", advice: "try again later" },
  wrong_chain: {
    code: "UPSTREAM_UNAVAILABLE",
    problem: "serves another chain",
    advice: "the operator has to correct its RPC URL",
  },
  http_status: { code: "UPSTREAM_ERROR", problem: "refused the request", advice: `try again later, or ${OPERATOR}` },
  malformed: { code: "UPSTREAM_ERROR", problem: "sent an answer that can't be parsed", advice: "try again" },
  too_large: { code: "UPSTREAM_ERROR", problem: "sent an answer that is too large to be read", advice: OPERATOR },
  null_result: { code: "UPSTREAM_ERROR", problem: "answered without a result", advice: "try again" },
  missing_block: { code: "UPSTREAM_ERROR", problem: "does not have the block (yet)", advice: "try again" },
  impossible_block: {
    code: "UPSTREAM_ERROR",
    problem: "sent a block whose time, number, gas limit or base fee is impossible",
    advice: "try again later",
  },
  node_error: { code: "UPSTREAM_ERROR", problem: "failed", advice: "try again" },
  rate_limited: {
    code: "UPSTREAM_ERROR",
    problem: "accepts no more calls for now",
    advice: "try again in some seconds, or the operator has to set further RPC URLs",
  },
  overloaded: {
    code: "UPSTREAM_ERROR",
    problem: "can't keep up with the calls that wait for it",
    advice: "try again in some seconds, or the operator has to set further RPC URLs",
  },
};

/** The ServiceError for a failed exchange. It contains no URL and no text of the node. */
export function upstreamError(failure: RpcFailure, method: string): ServiceError {
  const { code, problem, advice } = texts[failure.kind];
  const status = failure.httpStatus === undefined ? {} : { httpStatus: failure.httpStatus };
  const { endpoint } = failure;
  const place = endpoint === undefined ? "" : `, RPC URL ${endpoint + 1}`;
  return new ServiceError(code, `The chain's node ${problem} (${method}${place}); ${advice}`, {
    details: { rpcMethod: method, failure: failure.kind, ...(endpoint === undefined ? {} : { endpoint }), ...status },
    retryable: failure.kind !== "wrong_chain" && failure.kind !== "too_large",
  });
}
