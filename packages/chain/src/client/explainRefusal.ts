import { ServiceError } from "@dueday/core/errors";
import { RpcRefusal } from "./rpcOutcome";

/**
 * What to throw for `error` where nobody handles a refusal: UPSTREAM_ERROR without the node's text. Any other error is left as
 * it is, so that a bug of ours is not taken for a fault of the node.
 */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof RpcRefusal)) return error;
  return new ServiceError("UPSTREAM_ERROR", "The chain's node refused the request; the operator has to look into it.", {
    details: { failure: "refused", rpcCode: error.code },
    retryable: false,
  });
}
