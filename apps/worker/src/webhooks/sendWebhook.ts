import { cleanText } from "@dueday/core/text/cleanText";
import { checkWebhookUrl, hostOf, type WebhookUrlRules } from "@dueday/core/webhooks/checkWebhookUrl";
import { type ResolveHost, resolveWebhookHost } from "@dueday/core/webhooks/resolveWebhookHost";
import type { DeliveryFailureCode } from "@dueday/core/webhooks/webhook";
import type { EndpointResponse } from "./createResponseReader";
import type { TargetLimits } from "./createTargetLimits";
import { exchangeWith, type WebhookMessage } from "./exchangeWith";

export type SendOptions = WebhookUrlRules & {
  resolve: ResolveHost;
  /** The limits of destinations, for all attempts. */
  targets: TargetLimits;
  /** Default 15 s: for the look-up, the connection and the whole response. */
  timeoutMs?: number;
  /** Certificates to trust instead of the system's, PEM. */
  certificates?: string;
  /** Ends the attempt, which then rejects. */
  signal: AbortSignal;
  /** Called once when the attempt has become slow. Where it returns false, the attempt ends as if its time were over. */
  onSlow: () => boolean;
};

/** What an endpoint did with a message; `failure` is null where the endpoint took it. */
export type SendOutcome = {
  failure: DeliveryFailureCode | null;
  response: { status: number; body: string } | null;
  /** No connection was made. */
  unreachable: boolean;
};

/** Nothing was sent, because the destination has reached a limit. */
export type Postponed = { postponedMs: number };

export const TIMEOUT_MS = 15_000;
/** An attempt that takes longer is slow. */
export const SLOW_MS = 1_000;
/** The most addresses of a host that are tried, one after another. */
const MOST_ADDRESSES = 4;
/** Bytes of a response that are stored, to be shown to the owner. */
const KEPT_BYTES = 1_024;

/**
 * Sends a message to a URL that its owner chose freely. The URL is judged again, its host is resolved once, every address must be public, and the
 * connection goes to one of these addresses: nothing is looked up a second time. Redirects are not followed.
 *
 * @throws the signal's reason where it was aborted; any other failure is an outcome
 */
export async function sendWebhook(message: WebhookMessage, options: SendOptions): Promise<SendOutcome | Postponed> {
  const { timeoutMs = TIMEOUT_MS, signal, onSlow } = options;
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<SendOutcome>();
  const controller = new AbortController();
  const endAttempt = () => end(failed("TIMEOUT"));
  const timer = setTimeout(endAttempt, timeoutMs);
  const slowTimer = setTimeout(() => {
    if (!onSlow()) endAttempt();
  }, SLOW_MS);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    signal.throwIfAborted();
    return await Promise.race([ended, send(message, options, controller.signal)]);
  } finally {
    clearTimeout(timer);
    clearTimeout(slowTimer);
    signal.removeEventListener("abort", onAbort);
    controller.abort();
  }
}

async function send(
  message: WebhookMessage,
  options: SendOptions,
  over: AbortSignal,
): Promise<SendOutcome | Postponed> {
  const { url } = checkWebhookUrl(message.url, options);
  // The URL was accepted by other rules, e.g. before WEBHOOKS_TO_LOOPBACK was switched off.
  if (url === null) return failed("ADDRESS_REFUSED", true);
  const { addresses, failure } = await resolveWebhookHost(url, options);
  if (addresses === null) return failed(failure, true);
  if (over.aborted) return failed("TIMEOUT");
  const tried = addresses.slice(0, MOST_ADDRESSES);
  const taken = await options.targets.take(hostOf(message.url), tried);
  if ("waitMs" in taken) return { postponedMs: taken.waitMs };
  try {
    const exchanged = await exchangeWith(url, tried, message, { certificates: options.certificates, over });
    return "response" in exchanged ? judge(exchanged.response) : { ...exchanged, response: null };
  } finally {
    taken.release();
  }
}

function failed(failure: DeliveryFailureCode, unreachable = false): SendOutcome {
  return { failure, response: null, unreachable };
}

function judge({ status, body }: EndpointResponse): SendOutcome {
  const { text } = cleanText(body.toString(), KEPT_BYTES);
  return { failure: failureOf(status), response: { status, body: text }, unreachable: false };
}

function failureOf(status: number): DeliveryFailureCode | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return "REDIRECT";
  return status === 410 ? "GONE" : "STATUS";
}
