import { type ErrorCode, ServiceError } from "@dueday/core/errors";
import type { FailureKind, RpcFailure } from "./rpcOutcome";

const texts: Record<FailureKind, { code: ErrorCode; message: string }> = {
  timeout: { code: "UPSTREAM_TIMEOUT", message: "The chain's node did not answer in time; try again" },
  unreachable: { code: "UPSTREAM_UNAVAILABLE", message: "The chain's node can't be reached; try again later" },
  wrong_chain: {
    code: "UPSTREAM_UNAVAILABLE",
    message: "The configured node serves another chain; the operator has to correct its RPC URL",
  },
  http_status: { code: "UPSTREAM_ERROR", message: "The chain's node refused the request; try again later" },
  malformed: { code: "UPSTREAM_ERROR", message: "The chain's node sent an answer that can't be parsed; try again" },
  too_large: { code: "UPSTREAM_ERROR", message: "The chain's node sent an answer that is too large to be read" },
  null_result: { code: "UPSTREAM_ERROR", message: "The chain's node answered without a result; try again" },
  missing_block: { code: "UPSTREAM_ERROR", message: "The chain's node does not have the block (yet); try again" },
  impossible_block: {
    code: "UPSTREAM_ERROR",
    message: "The chain's node sent a block whose time, number, gas limit or base fee is impossible; try again later",
  },
  node_error: { code: "UPSTREAM_ERROR", message: "The chain's node failed; try again" },
};

/** The ServiceError for a failed exchange. It contains no URL and no text of the node. */
export function upstreamError(failure: RpcFailure, method: string): ServiceError {
  const { code, message } = texts[failure.kind];
  const status = failure.httpStatus === undefined ? {} : { httpStatus: failure.httpStatus };
  return new ServiceError(code, message, {
    details: { method, failure: failure.kind, ...status },
    retryable: failure.kind !== "wrong_chain" && failure.kind !== "too_large",
  });
}
