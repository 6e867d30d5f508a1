import { ServiceError } from "@dueday/core/errors";
import { isMissingMethod } from "./missingMethod";
import { RpcRefusal } from "./rpcOutcome";

/**
 * The error to throw where a refusal is not handled: UPSTREAM_ERROR without the node's text. Any other error is returned
 * unchanged, so that a bug of this service does not look like a fault of the node.
 */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RpcRefusal)) return error;
  const { method = "the request", endpoint } = error.source;
  const place = endpoint === undefined ? "" : ` (RPC URL ${endpoint + 1})`;
  const problem = isMissingMethod(error)
    ? `does not have the method ${method}${place}; the operator has to set the URL of a node that has it`
    : `refused ${method}${place}; the operator has to check the node`;
  return new ServiceError("UPSTREAM_ERROR", `The chain's node ${problem}`, {
    details: { failure: "refused", rpcCode: error.code, rpcMethod: error.source.method, endpoint },
    retryable: false,
  });
}
