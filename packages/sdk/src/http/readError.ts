import type { ErrorCode, Issue, Revert } from "../operationTypes";
import { DuedayError } from "./duedayError";

/** The error that a response of status 400 or above describes. */
export async function readError(response: Response): Promise<DuedayError> {
  const { status, headers } = response;
  const facts = { status, requestId: headers.get("X-Request-Id"), retryAfter: retryAfterOf(headers) };
  const body = parseObject(await response.text());
  const { code, error, docs, issues, revert, requestId } = body ?? {};
  if (typeof code !== "string" || typeof error !== "string") {
    return new DuedayError("INVALID_ANSWER", `The answer (HTTP ${status}) is not one of a Dueday service`, facts);
  }
  // A newer service may have codes that this version does not list; callers compare with those they know.
  return new DuedayError(code as ErrorCode, error, {
    ...facts,
    ...(typeof requestId === "string" && { requestId }),
    ...(typeof docs === "string" && { docs }),
    // The service's own form, documented with the codes.
    ...(Array.isArray(issues) && { issues: issues as Issue[] }),
    ...(typeof revert === "object" && revert !== null && { revert: revert as Revert }),
    ...(body !== null && { body }),
  });
}

/** The object in a text, or null. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Seconds: the field is a number of them, or a date. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("Retry-After");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
