import type { ServiceError } from "@dueday/core/errors";
import type { Exchange } from "../../http/exchange";
import { errorEnvelope, respondJson } from "../../http/respond";

/** Codes of JSON-RPC 2.0; -32000 is for what the service itself refuses. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;

/**
 * An HTTP request at /mcp that was refused whole: the status and headers that REST gives, and a JSON-RPC error whose data is
 * the error envelope (shapes, Limits).
 *
 * @param id of the only request in it; null where there are several, or it was not read
 */
export function respondRpcError(exchange: Exchange, error: ServiceError, id: string | number | null = null): Response {
  exchange.error = error;
  const data = errorEnvelope(exchange.requestId, error);
  const body = { jsonrpc: "2.0", id, error: { code: rpcCode(error), message: error.message, data } };
  return respondJson(error.status, body, error.headers);
}

function rpcCode({ code, issues }: ServiceError): number {
  if (issues?.[0]?.code === "INVALID_JSON") return PARSE_ERROR;
  if (code === "INTERNAL") return INTERNAL_ERROR;
  const isMalformed = ["VALIDATION_ERROR", "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
  return isMalformed.includes(code) ? INVALID_REQUEST : REFUSED;
}
