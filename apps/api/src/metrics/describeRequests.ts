import type { Traces } from "@dueday/metrics/traces/traces";
import type { NoteRequest } from "./requestMetrics";

/** Names the span of an answered request by its operation, and adds facts from its log line. */
export function describeRequests(traces: Traces): NoteRequest {
  return ({ method, operation, chainId, lane, requestId, error }, status) => {
    const facts = {
      "http.request.method": method,
      "http.response.status_code": status,
      "dueday.operation": operation,
      "dueday.chain_id": chainId,
      "dueday.lane": lane,
      "dueday.request_id": requestId,
    };
    traces.describe(`${method} ${operation ?? "none"}`, facts, status >= 500 ? (error?.code ?? "INTERNAL") : null);
  };
}
