import type { Lane } from "@dueday/config/limits";
import type { ServiceError } from "@dueday/core/errors";
import type { Taking } from "../limits/limiter";

/** Knows the peer that sent a request; null where it has no address, or is gone. */
export type Peers = { requestIP(request: Request): { address: string } | null };

/** What is known of one HTTP request while it is judged and answered. The log line and the common headers are made from it. */
export type Exchange = {
  readonly request: Request;
  readonly method: string;
  /** A UUID: the log line relies on its 36 ASCII characters. */
  readonly requestId: string;
  /** `performance.now()` when it came. */
  readonly startedAt: number;
  /** Asked only where the address is needed. */
  readonly peers: Peers;
  /** The Authorization header. */
  readonly authorization: string | null;
  path: string;
  operation: string | null;
  chainId: number | null;
  /** The lane it goes by; "none" where it came with credentials that were refused, or not judged. */
  lane: Lane | "none";
  /** The day's hash of the client's address. */
  client: string | null;
  /** The buckets that were consulted last. */
  taking: Taking | null;
  error: ServiceError | null;
};

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Begins an exchange. The client's own request id is taken over only if it is a UUID: it goes into the log. */
export function openExchange(request: Request, peers: Peers): Exchange {
  const { headers } = request;
  const theirs = headers.get("x-request-id");
  const authorization = headers.get("authorization");
  return {
    request,
    method: request.method,
    requestId: theirs !== null && UUID.test(theirs) ? theirs : crypto.randomUUID(),
    startedAt: performance.now(),
    peers,
    authorization,
    path: "",
    operation: null,
    chainId: null,
    lane: authorization === null ? "free" : "none",
    client: null,
    taking: null,
    error: null,
  };
}
