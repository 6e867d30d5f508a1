import { ServiceError } from "@dueday/core/errors";
import { BaseError } from "viem";
import { RpcRefusal } from "./rpcOutcome";

/**
 * What a failed read means to a client of the service: the ServiceError that our transport threw, however deep viem wrapped
 * it, or UPSTREAM_ERROR for anything else a node's answer made viem throw (a plain TypeError for an unexpected null, too).
 * The original is not kept as cause: viem's errors quote requests and node texts.
 */
export function asServiceError(error: unknown): ServiceError {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof ServiceError) return each;
  }
  const details =
    error instanceof RpcRefusal
      ? { failure: "refused", rpcCode: error.code }
      : { failure: error instanceof BaseError ? error.name : "unexpected_answer" };
  return new ServiceError("UPSTREAM_ERROR", "The chain's node gave an answer that can't be used; try again later.", {
    details,
  });
}
