import type { ServiceError } from "@dueday/core/errors";
import { invalidInput } from "@dueday/core/errors";

/** A JSON-RPC request. Notifications and answers have no effect on a server without sessions, and are dropped. */
export type RpcRequest = { jsonrpc: "2.0"; id: string | number; method: string; params?: unknown };

/** Messages in one HTTP request at most. */
const LONGEST_BATCH = 100;

/**
 * The requests among the messages of a body: one message, or a batch. A batch that cancels its own requests would never be
 * answered, and one that uses an id twice only in part; the first is dropped with all notifications, the second refused.
 *
 * @throws ServiceError VALIDATION_ERROR for what is not JSON-RPC 2.0
 */
export function readMessages(body: unknown): RpcRequest[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.length === 0) throw malformed("A batch must hold at least one message");
  if (messages.length > LONGEST_BATCH) throw malformed(`A batch must hold at most ${LONGEST_BATCH} messages`);
  const requests = messages.flatMap((message) => readMessage(message) ?? []);
  if (new Set(requests.map(({ id }) => id)).size < requests.length) throw malformed("A batch must not use an id twice");
  return requests;
}

/** Null for a notification or an answer. */
function readMessage(message: unknown): RpcRequest | null {
  if (typeof message !== "object" || message === null || Reflect.get(message, "jsonrpc") !== "2.0")
    throw malformed('A message must be a JSON-RPC 2.0 object: {"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = message;
  if (method === undefined && ("result" in message || "error" in message)) return null;
  if (typeof method !== "string") throw malformed("method must be a text");
  if (id === undefined) return null;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) throw malformed("id must be a text or an integer");
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    throw malformed("params must be an object");
  // The line above leaves nothing but these two.
  return { jsonrpc: "2.0", id: id as string | number, method, ...(params === undefined ? {} : { params }) };
}

function malformed(message: string): ServiceError {
  return invalidInput([{ code: "INVALID_REQUEST", message }]);
}
