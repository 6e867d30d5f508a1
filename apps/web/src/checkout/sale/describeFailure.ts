import { DuedayError } from "@dueday/sdk";

/** Why the service did not answer, and when to ask again. */
export function describeFailure(error: Error): string {
  return DuedayError.is(error, "RATE_LIMITED")
    ? "Too many requests came from your network. Wait a minute, then try again."
    : "The service, or its connection to the chain, is away. Try again in a moment.";
}
