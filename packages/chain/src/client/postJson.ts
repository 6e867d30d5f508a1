import type { RpcFailure } from "./rpcOutcome";

export type PostTarget = { url: string; headers: Record<string, string> };
export type PostLimits = { timeoutMs: number; maxBytes: number };
export type Exchange = { json: unknown } | { failure: RpcFailure };

/**
 * One HTTP exchange with its own deadline (the body included) and a limit on the answer's size. Errors of fetch are dropped
 * because they contain the URL.
 */
export async function postJson(target: PostTarget, body: string, limits: PostLimits): Promise<Exchange> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limits.timeoutMs);
  try {
    const response = await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...target.headers },
      body,
      signal: abort.signal,
      redirect: "error",
    });
    const text = await readText(response, limits.maxBytes);
    if (text === null) return { failure: { kind: "too_large" } };
    return parseResponse(response, text);
  } catch {
    return { failure: { kind: abort.signal.aborted ? "timeout" : "unreachable" } };
  } finally {
    clearTimeout(timer);
  }
}

function parseResponse(response: Response, text: string): Exchange {
  const statusFailure: RpcFailure = { kind: "http_status", httpStatus: response.status, ...retryAfter(response) };
  if (response.status === 429 || response.status >= 500) return { failure: statusFailure };
  try {
    const json: unknown = JSON.parse(text);
    // Some nodes send a JSON-RPC error with a 4xx status; the error is more precise than the status.
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

async function readText(response: Response, maxBytes: number): Promise<string | null> {
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    return null;
  }
  if (response.body === null) return "";
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  // Decoding chunk by chunk takes several times as long.
  return new Blob(chunks).text();
}
