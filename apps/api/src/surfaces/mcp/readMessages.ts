import type { ServiceError } from "@dueday/core/errors";
import { invalidInput } from "@dueday/core/errors";
import { mcpRequest } from "../../limits/policy";

/** A JSON-RPC request. Notifications and responses have no effect on a server without sessions, and are ignored. */
export type RpcRequest = { jsonrpc: "2.0"; id: string | number; method: string; params?: unknown };

/**
 * The requests among the messages of a body: one message, or a batch. Notifications are ignored, because a batch that cancels its own
 * requests would never be answered; a batch that uses an id twice is refused, because it would be answered only in part.
 *
 * @throws ServiceError VALIDATION_ERROR for what is not JSON-RPC 2.0
 */
export function readMessages(body: unknown): RpcRequest[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length === 0) throw malformed("A batch must contain at least one message");
  const { maxMessages } = mcpRequest;
  if (messages.length > maxMessages)
    throw malformed(
      `A batch must contain at most ${maxMessages} messages, not ${messages.length}: send them in several requests`,
    );
  const requests = messages.flatMap((message) => readMessage(message) ?? []);
  if (new Set(requests.map(({ id }) => id)).size < requests.length) throw malformed("A batch must not use an id twice");
  return requests;
}

/** Null for a notification or a response. */
function readMessage(message: unknown): RpcRequest | null {
  if (typeof message !== "object" || message === null || Reflect.get(message, "jsonrpc") !== "2.0")
    throw malformed('A message must be a JSON-RPC 2.0 object: {"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = message;
  if (method === undefined && ("result" in message || "error" in message)) return null;
  if (typeof method !== "string") throw malformed("method must be a string");
  if (id === undefined) return null;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) throw malformed("id must be a string or an integer");
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    throw malformed("params must be an object");
  // The check of `id` above leaves only these two types.
  return { jsonrpc: "2.0", id: id as string | number, method, ...(params === undefined ? {} : { params }) };
}

function malformed(message: string): ServiceError {
  return invalidInput([{ code: "INVALID_REQUEST", message }]);
}
