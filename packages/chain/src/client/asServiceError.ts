import { ServiceError } from "@dueday/core/errors";
import { BaseError } from "viem";

/**
 * For what viem's own actions throw: the ServiceError of our transport, however deep viem wrapped it, or UPSTREAM_ERROR for
 * anything else that a node's answer made viem throw (a plain TypeError for an unexpected null, too). The original is not kept
 * as cause: viem's errors quote requests and node texts.
 */
export function asServiceError(error: unknown): ServiceError {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof ServiceError) return each;
  }
  return new ServiceError("UPSTREAM_ERROR", "The chain's node gave an answer that can't be used; try again later.", {
    details: { failure: error instanceof BaseError ? error.name : "unexpected_answer" },
  });
}
