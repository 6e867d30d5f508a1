import { describeError } from "@dueday/config/describeError";
import { ServiceError } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";

/** Any error as the ServiceError that a client may see. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DatabaseError && error.retryable) {
    return new ServiceError(
      "UPSTREAM_UNAVAILABLE",
      "The database of this service does not answer; try again in a few seconds",
      {
        details: { action: error.action, failure: error.code },
      },
    );
  }
  return new ServiceError("INTERNAL", "Internal error of this service; its log has the details under this requestId", {
    details: { internal: describeError(error) },
  });
}
