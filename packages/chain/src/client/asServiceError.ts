import { ServiceError } from "@dueday/core/errors";

/** What a failed read means to a client: the ServiceError inside, or UPSTREAM_ERROR for anything else that viem threw. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw new Error("not built yet");
}
