import type { ServiceError } from "@dueday/core/errors";

/** The body of every error, over REST and MCP alike (docs/errors.md). */
export function errorEnvelope(requestId: string, error: ServiceError) {
  return {
    error: error.message,
    code: error.code,
    docs: `/docs/errors#${error.code}`,
    requestId,
    ...(error.issues === undefined ? {} : { issues: error.issues }),
    ...(error.revert === undefined ? {} : { revert: error.revert }),
    ...error.body,
  };
}
