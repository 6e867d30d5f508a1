import { sleep } from "../sleep";
import { DuedayError } from "./duedayError";
import { readError } from "./readError";

export type TransportOptions = {
  /** Sent as `Authorization: Bearer`. Without one, the client is in the free lane. */
  apiKey?: string | undefined;
  fetch?: Fetch | undefined;
  /** Milliseconds for one attempt. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. */
  retries?: number | undefined;
  /** The longest wait before another attempt, in milliseconds. Where the service wants more, the call rejects at once. */
  maxRetryDelayMs?: number | undefined;
};

/** The part of `fetch` that the client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Exchange = {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string | null;
  /** Whether a repetition may do something twice: then only a refused request (429) is repeated. */
  changes?: boolean;
  signal?: AbortSignal | undefined;
};

/** Sends requests. Resolves with an answer of status below 400 whose body has been read, so that a request is repeated if the body breaks off. */
export type Transport = {
  send(exchange: Exchange): Promise<{ response: Response; text: string }>;
  /** One attempt that resolves with the head of the answer, for streams. The time limit applies to the head only. */
  open(exchange: Exchange): Promise<Response>;
};

/** Longer than the slowest operation of the service may take. */
const TIMEOUT_MS = 65_000;
const RETRIES = 2;
const MAX_RETRY_DELAY_MS = 10_000;
const FIRST_DELAY_MS = 250;
const RETRIED = new Set(["RATE_LIMITED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "NOT_INDEXED", "UPSTREAM_TIMEOUT"]);
/** Codes of failures on the way to the service, or of a proxy in front of it. */
const BROKEN = new Set(["NETWORK_ERROR", "INVALID_ANSWER"]);

/**
 * HTTP with time limits, bounded retries and errors as {@link DuedayError}.
 *
 * @param wait injected so that tests need not wait
 */
export function createTransport(options: TransportOptions, wait: typeof sleep = sleep): Transport {
  const { apiKey, timeoutMs = TIMEOUT_MS, retries = RETRIES, maxRetryDelayMs = MAX_RETRY_DELAY_MS } = options;
  // Called as a plain function: browsers refuse `fetch` with another `this`.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  async function attempt<T>(exchange: Exchange, read: (response: Response) => Promise<T>): Promise<T> {
    const { url, method, headers, body, signal } = exchange;
    signal?.throwIfAborted();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...headers,
          ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
          ...(body == null ? {} : { "Content-Type": "application/json" }),
        },
        ...(body == null ? {} : { body }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      });
      if (response.status >= 400) throw await readError(response);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DuedayError) throw error;
      if (deadline.signal.aborted) {
        throw new DuedayError("TIMEOUT", `The service did not answer within ${timeoutMs / 1000} s`, { cause: error });
      }
      throw new DuedayError("NETWORK_ERROR", "The service can't be reached, or the connection broke", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    open: (exchange) => attempt(exchange, async (response) => response),
    async send(exchange) {
      for (let tried = 0; ; tried++) {
        try {
          return await attempt(exchange, async (response) => ({ response, text: await response.text() }));
        } catch (error) {
          if (!(error instanceof DuedayError) || tried >= retries || !mayRepeat(error, exchange)) throw error;
          const delayMs = Math.max(backOff(tried), (error.retryAfter ?? 0) * 1000);
          if (delayMs > maxRetryDelayMs) throw error;
          await wait(delayMs, exchange.signal);
        }
      }
    },
  };
}

/** A call that ended with TIMEOUT is not repeated: the caller has waited long enough to decide. */
function mayRepeat({ code, status }: DuedayError, { changes = false }: Exchange): boolean {
  if (changes) return code === "RATE_LIMITED";
  if (BROKEN.has(code)) return status === null || status === 429 || status >= 502;
  return RETRIED.has(code);
}

/** Doubles, with half of it random, so that clients that failed together do not return together. */
function backOff(tried: number): number {
  const longest = FIRST_DELAY_MS * 2 ** tried;
  return longest / 2 + (Math.random() * longest) / 2;
}
