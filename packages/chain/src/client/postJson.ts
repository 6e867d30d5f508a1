import { readContent } from "./readContent";
import type { RpcFailure } from "./rpcOutcome";

export type PostTarget = { url: string; headers: Record<string, string> };
export type PostLimits = { timeoutMs: number; maxBytes: number };
/** What one HTTP exchange gave. `bytes` counts the characters sent and the bytes received, without headers. */
export type Exchange = ({ json: unknown } | { failure: RpcFailure }) & { bytes: number };

/**
 * One HTTP exchange with its own deadline (the body included) and a limit on the answer's size. Errors of fetch are dropped
 * because they contain the URL.
 */
export async function postJson(target: PostTarget, body: string, limits: PostLimits): Promise<Exchange> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limits.timeoutMs);
  const bytes = body.length;
  try {
    const response = await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...target.headers },
      body,
      signal: abort.signal,
      redirect: "error",
    });
    const content = await readContent(response, limits.maxBytes);
    if (content === null) return { failure: { kind: "too_large" }, bytes: bytes + limits.maxBytes };
    return { ...parseResponse(response, content.text), bytes: bytes + content.bytes };
  } catch {
    return { failure: { kind: abort.signal.aborted ? "timeout" : "unreachable" }, bytes };
  } finally {
    clearTimeout(timer);
  }
}

function parseResponse(response: Response, text: string): { json: unknown } | { failure: RpcFailure } {
  const statusFailure: RpcFailure = { kind: "http_status", httpStatus: response.status, ...retryAfter(response) };
  if (response.status === 429) return { failure: { ...statusFailure, kind: "rate_limited" } };
  try {
    const json: unknown = JSON.parse(text);
    // Some nodes send a JSON-RPC error with another status than 200; the error is more precise than the status.
    if (response.ok || (typeof json === "object" && json !== null && "jsonrpc" in json)) return { json };
    return { failure: statusFailure };
  } catch {
    return { failure: response.ok ? { kind: "malformed" } : statusFailure };
  }
}

function retryAfter(response: Response): { retryAfterMs?: number } {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {};
}
