import type { ServiceError } from "@dueday/core/errors";
import type { Lane } from "../context";
import type { Taking } from "./limit/limiter";

/** What is known of one HTTP request while it is judged and answered. The log line and the common headers are made from it. */
export type Exchange = {
  readonly request: Request;
  readonly requestId: string;
  /** `performance.now()` when it came. */
  readonly startedAt: number;
  /** The address of the peer, asked for only where it is needed. */
  readonly peer: () => string | null;
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
export function openExchange(request: Request, peer: () => string | null): Exchange {
  const theirs = request.headers.get("x-request-id");
  return {
    request,
    requestId: theirs !== null && UUID.test(theirs) ? theirs : crypto.randomUUID(),
    startedAt: performance.now(),
    peer,
    path: "",
    operation: null,
    chainId: null,
    lane: request.headers.has("authorization") ? "none" : "free",
    client: null,
    taking: null,
    error: null,
  };
}
