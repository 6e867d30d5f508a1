import type { ServiceError } from "@dueday/core/errors";
import { errorEnvelope } from "../answers/errorEnvelope";
import { matchesTag, type ReadyAnswer } from "../answers/rendering";
import type { Exchange } from "./exchange";

export function respondJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): Response {
  return respondText(exchange, status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

/** Sends a text that was made for this request alone: it counts among the unread answers. */
export function respondText(
  exchange: Exchange,
  status: number,
  text: string,
  headers: Record<string, string>,
): Response {
  exchange.answerBytes = Buffer.byteLength(text);
  return new Response(text, { status, headers });
}

/**
 * Sends an answer that was made from a snapshot, or a 304 to a client that has it already. Cloning the response takes 0.7 us less
 * than making a new one, and copies no byte of the body.
 */
export function respondReady({ request, method }: Exchange, answer: ReadyAnswer): Response {
  const known = method === "POST" ? null : request.headers.get("if-none-match");
  const template = known !== null && matchesTag(known, answer.etag) ? answer.notModified : answer.full;
  // Bun's types declare the clone as the Response of another library.
  return template.clone() as Response;
}

export function respondError(exchange: Exchange, error: ServiceError): Response {
  return respondJson(exchange, error.status, errorEnvelope(exchange.requestId, error), error.headers);
}
