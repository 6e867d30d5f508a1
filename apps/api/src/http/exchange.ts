import type { Lane } from "@dueday/config/limits";
import type { ServiceError } from "@dueday/core/errors";
import type { ServedChain } from "../chains/servedChain";
import type { Caller } from "../identity/clientIdentity";
import type { Decision } from "../limits/limiter";

/** The connections of requests. */
export type Peers = {
  /** Null where the connection has no address or is closed, and when the whole answer has been sent. */
  requestIP(request: Request): { address: string } | null;
  /** Closes the request's connection when nothing moves on it for this time. */
  timeout(request: Request, seconds: number): void;
};

/** One HTTP request while it is checked and answered. Its log line, its metrics and the common headers are made from it. */
export type Exchange = {
  readonly request: Request;
  readonly method: string;
  /** Without the query and the /api prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** A UUID. */
  readonly requestId: string;
  /** `performance.now()` on arrival. */
  readonly startedAt: number;
  readonly peers: Peers;
  /** The Authorization header. */
  readonly authorization: string | null;
  /** The form in which clients of this path expect errors. */
  readonly renderError: RenderError;
  /** The chain of `?chainId=`, or the default chain. */
  chain: ServedChain;
  /** Why the request's chainId is not accepted; null where it is. */
  chainFault: ServiceError | null;
  /** Null until the credentials were accepted, or the request is counted as rejected. */
  caller: Caller | null;
  /** Values of the path's parameters, percent-decoded; null for one that can't be decoded. */
  params: Readonly<Record<string, string | null>>;
  /** Largest body that the matched route accepts, in bytes. */
  bodyLimit: number;
  /** Name of the matched operation, or of the only tool that an MCP request calls. */
  operation: string | null;
  /** Null where the answer does not depend on a chain. */
  chainId: number | null;
  /** "none" while credentials were sent and not accepted. */
  lane: Lane | "none";
  /** The day's hash of the client's address. */
  client: string | null;
  /** Bytes of an answer that was made for this request alone; 0 for an answer that all clients share. */
  answerBytes: number;
  /** What the limiter decided last. */
  decision: Decision | null;
  /** The Set-Cookie header of the answer. */
  setCookie: string | null;
  error: ServiceError | null;
};

export type RenderError = (exchange: Exchange, error: ServiceError) => Response;

export type ExchangeOptions = {
  request: Request;
  /** Of the URL, without the /api prefix. */
  path: string;
  peers: Peers;
  chain: ServedChain;
  renderError: RenderError;
};

/** The query of most requests. Nothing changes the query of a request. */
const NO_QUERY = new URLSearchParams();

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Opens the exchange of a request. A client's own request id is taken over only if it is a UUID, because it goes into the log. */
export function openExchange({ request, path, peers, chain, renderError }: ExchangeOptions): Exchange {
  const { headers, method, url } = request;
  const theirs = headers.get("x-request-id");
  const authorization = headers.get("authorization");
  const mark = url.indexOf("?");
  return {
    request,
    method,
    path,
    query: mark === -1 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1)),
    requestId: theirs !== null && UUID.test(theirs) ? theirs : crypto.randomUUID(),
    startedAt: performance.now(),
    peers,
    authorization,
    renderError,
    chain,
    chainFault: null,
    caller: null,
    params: {},
    bodyLimit: 0,
    operation: null,
    chainId: null,
    lane: authorization === null ? "free" : "none",
    client: null,
    answerBytes: 0,
    decision: null,
    setCookie: null,
    error: null,
  };
}

/** The caller of a request whose credentials the gate has accepted. */
export function callerOf({ caller }: Pick<Exchange, "caller">): Caller {
  if (caller === null) throw new Error("a route was reached without passing the gate");
  return caller;
}
