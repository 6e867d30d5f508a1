import { ServiceError } from "@dueday/core/errors";

/** Whether an error means that no node answered. Any other is an answer: a revert, a refusal, or a result of another form. */
export function isOfTransport(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ServiceError) return true;
  return false;
}
