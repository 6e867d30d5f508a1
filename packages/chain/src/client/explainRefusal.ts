import { ServiceError } from "@dueday/core/errors";
import { RpcRefusal } from "./rpcOutcome";

/**
 * The error to throw where a refusal is not handled: UPSTREAM_ERROR without the node's text. Any other error is returned
 * unchanged, so that a bug of this service does not look like a fault of the node.
 */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RpcRefusal)) return error;
  return new ServiceError(
    "UPSTREAM_ERROR",
    "The chain's node refused the request; the operator has to check the node",
    {
      details: { failure: "refused", rpcCode: error.code },
      retryable: false,
    },
  );
}
