import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { cleanText } from "@dueday/core/text/cleanText";
import { addressOf, checkWebhookUrl, type WebhookUrlRules } from "@dueday/core/webhooks/checkWebhookUrl";
import { type ResolveHost, resolveWebhookHost } from "@dueday/core/webhooks/resolveWebhookHost";
import type { DeliveryFailureCode } from "@dueday/core/webhooks/webhook";

/** A signed request to an endpoint. */
export type WebhookMessage = { url: string; headers: Readonly<Record<string, string>>; body: string };

export type SendOptions = WebhookUrlRules & {
  resolve: ResolveHost;
  /** Default 15 s: for the look-up, the connection and the whole response. */
  timeoutMs?: number;
  /** Certificates to trust besides the system's, PEM. */
  certificates?: string;
  /** Ends the attempt, which then rejects. */
  signal: AbortSignal;
};

/** What an endpoint did with a message; `failure` is null where it took it. */
export type SendOutcome = {
  failure: DeliveryFailureCode | null;
  response: { status: number; body: string } | null;
};

export const TIMEOUT_MS = 15_000;
/** Of a response, so much is read; then the connection is closed. */
const READ_BYTES = 16 * 1024;
/** And so much is kept, to be shown to the owner. */
const KEPT_BYTES = 1_024;

/**
 * Sends a message to a URL that a stranger chose. The URL is judged again, its host is resolved once, every address must be public, and the
 * connection goes to one of these addresses: nothing is looked up a second time. Redirects are not followed.
 *
 * @throws the signal's reason where it was aborted; any other failure is an outcome
 */
export async function sendWebhook(message: WebhookMessage, options: SendOptions): Promise<SendOutcome> {
  const { timeoutMs = TIMEOUT_MS, signal } = options;
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<SendOutcome>();
  const controller = new AbortController();
  const timer = setTimeout(() => end({ failure: "TIMEOUT", response: null }), timeoutMs);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    signal.throwIfAborted();
    return await Promise.race([ended, connect(message, options, controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    controller.abort();
  }
}

async function connect(message: WebhookMessage, options: SendOptions, over: AbortSignal): Promise<SendOutcome> {
  const { url } = checkWebhookUrl(message.url, options);
  // It was accepted by other rules, e.g. before WEBHOOKS_TO_LOOPBACK was switched off.
  if (url === null) return { failure: "ADDRESS_REFUSED", response: null };
  const { addresses, failure } = await resolveWebhookHost(url, options);
  if (addresses === null) return { failure, response: null };
  if (over.aborted) return { failure: "TIMEOUT", response: null };
  return exchange(url, addresses, message, { certificates: options.certificates, over });
}

type Connection = {
  certificates: string | undefined;
  /** Aborted when nobody waits for the outcome any more. */
  over: AbortSignal;
};

function exchange(
  url: URL,
  addresses: readonly [string, ...string[]],
  { headers, body }: WebhookMessage,
  { certificates, over }: Connection,
): Promise<SendOutcome> {
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  const request = (url.protocol === "http:" ? requestHttp : requestHttps)({
    host: addressOf(url) ?? url.hostname,
    port: url.port === "" ? 443 : url.port,
    path: `${url.pathname}${url.search}`,
    method: "POST",
    headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
    // A connection of its own: one that is kept could lead to an address that was public when it was opened.
    agent: false,
    lookup: pinnedTo(addresses),
    ...(certificates !== undefined && { ca: certificates }),
  });
  over.addEventListener("abort", () => request.destroy());
  request.on("error", (error) => resolve({ failure: isTlsError(error) ? "TLS" : "CONNECTION", response: null }));
  request.on("response", (response) => {
    const status = response.statusCode ?? 0;
    const chunks: Buffer[] = [];
    let length = 0;
    const complete = () => resolve(judge(status, Buffer.concat(chunks)));
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < READ_BYTES) return;
      complete();
      request.destroy();
    });
    response.on("end", complete);
    // Both follow on a connection that ends too early; what was resolved before stays.
    response.on("error", () => resolve({ failure: "CONNECTION", response: null }));
    response.on("close", () => resolve({ failure: "CONNECTION", response: null }));
  });
  request.end(body);
  return promise;
}

/** A look-up that knows one answer. */
function pinnedTo(addresses: readonly [string, ...string[]]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all === true) callback(null, entries);
    else callback(null, addresses[0], isIP(addresses[0]));
  };
}

function judge(status: number, bytes: Buffer): SendOutcome {
  const { text } = cleanText(bytes.subarray(0, READ_BYTES).toString(), KEPT_BYTES);
  return { failure: failureOf(status), response: { status, body: text } };
}

function failureOf(status: number): DeliveryFailureCode | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return "REDIRECT";
  return status === 410 ? "GONE" : "STATUS";
}

function isTlsError(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code);
}
