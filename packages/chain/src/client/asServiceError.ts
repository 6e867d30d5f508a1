import { ServiceError } from "@dueday/core/errors";
import { BaseError } from "viem";

/**
 * Converts an error thrown by viem's own actions: to the ServiceError of our transport that viem has wrapped, or to UPSTREAM_ERROR
 * for anything else (a TypeError for an unexpected null, too). The original is not kept as cause, because viem's errors quote
 * requests and texts of the node.
 */
export function asServiceError(error: unknown): ServiceError {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof ServiceError) return each;
  }
  return new ServiceError("UPSTREAM_ERROR", "The chain's node sent an unexpected answer; try again later", {
    details: { failure: error instanceof BaseError ? error.name : "unexpected_answer" },
  });
}
