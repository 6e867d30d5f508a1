import type { ServiceError } from "@dueday/core/errors";
import { rateLimitFields } from "../limits/rateLimitFields";
import { matchesTag, type ReadyAnswer } from "../snapshots/rendering";
import { preflightFields } from "./createCors";
import type { Exchange } from "./exchange";

/** An answer that was computed for this request. */
export function respondJson(status: number, value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** An answer that lay ready: a 304 to a client that has it already. */
export function respondReady({ request, method, requestId, lane, taking }: Exchange, answer: ReadyAnswer): Response {
  const ready = isKnown(request, method, answer) ? answer.notModified : answer.full;
  return ready.respond({ requestId, lane, rateLimit: taking === null ? null : rateLimitFields(taking) });
}

/** Whether a read's client has this answer already. */
function isKnown(request: Request, method: string, answer: ReadyAnswer): boolean {
  const known = request.headers.get("if-none-match");
  return known !== null && method !== "POST" && matchesTag(known, answer.etag);
}

/** What a path takes; `finish` adds what a page of another origin may do. */
export function respondOptions(allow: string): Response {
  return new Response(null, { status: 204, headers: { Allow: allow, ...preflightFields(allow) } });
}

/** The error envelope (shapes, Errors). */
export function respondError(exchange: Exchange, error: ServiceError): Response {
  exchange.error = error;
  return respondJson(error.status, errorEnvelope(exchange.requestId, error), error.headers);
}

export function errorEnvelope(requestId: string, error: ServiceError) {
  return {
    error: error.message,
    code: error.code,
    requestId,
    ...(error.issues === undefined ? {} : { issues: error.issues }),
    ...(error.revert === undefined ? {} : { revert: error.revert }),
    ...error.body,
  };
}
