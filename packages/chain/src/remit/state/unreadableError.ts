import { ServiceError } from "@dueday/core/errors";

/** The error for private storage of the contract that a node can't show. @param what begins the sentence */
export function unreadableError(what: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError(
    "UPSTREAM_ERROR",
    `${what} can't be read from the chain's node: it has neither eth_createAccessList nor eth_call with state overrides; the operator has to configure one with either`,
    { details, retryable: false },
  );
}
