import { caip2 } from "@dueday/core/chains";
import type { ServiceFacts } from "../../operation/context";
import type { Json } from "./plain";

/** The example is a chain of this process, because the docs page sends it as it is. */
export function chainIdParameter({ config }: Pick<ServiceFacts, "config">): Json {
  return {
    name: "chainId",
    in: "query",
    required: false,
    description:
      "Chain in decimal or CAIP-2 form (8453, eip155:8453); the default chain without it. See chains[] of the catalog.",
    schema: { type: "string", pattern: "^(?:eip155:)?[1-9][0-9]{0,15}$", maxLength: 23 },
    example: caip2(config.defaultRestChainId),
  };
}

export const minBlockParameter = {
  name: "minBlock",
  in: "query",
  required: false,
  description:
    "The answer is true for this block or a later one, so that it has seen a transaction of your own; POST /transactions/status has the " +
    "number as minBlock. Waits up to 5 s, then 503 NOT_INDEXED with Retry-After. The header X-Min-Block does the same.",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$", maxLength: 15 },
};

export const ifNoneMatchParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 while the content is the same",
  // The server refuses a request with more than 16 KiB of headers.
  schema: { type: "string", pattern: "^[\\u0020-\\u007e]*$", maxLength: 16_384 },
};

export const lastEventIdParameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "Of a stream: the seq of the last event received. It wins over after; browsers send it when they reconnect",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,15})$", maxLength: 16 },
};

const text = (pattern: string, maxLength: number): Json => ({ type: "string", pattern, maxLength });
const BUCKETS = "^[\\u0020-\\u007e]*$";

/** Headers of answers: written once, under components. */
export const headers = {
  "Access-Control-Allow-Origin": {
    description: "The origin of the page that asks, or *, where CORS_ORIGINS allows it; absent for other clients",
    schema: text("^[\\u0021-\\u007e]+$", 1_024),
  },
  "X-Request-Id": {
    description: "UUID of the request; the client's own if it sent a UUID",
    schema: text("^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$", 36),
  },
  "X-Service-Lane": {
    description: "The lane that was applied; none where credentials were sent and not accepted, as on a 401",
    schema: { type: "string", enum: ["free", "developer", "none"] },
  },
  "RateLimit-Policy": {
    description: 'Limit and window in seconds of each bucket that was consulted: "global";q=20;w=60',
    schema: text(BUCKETS, 1_024),
  },
  RateLimit: {
    description: 'Remaining requests of each bucket, and seconds until some are available again: "global";r=17;t=42',
    schema: text(BUCKETS, 1_024),
  },
  "Retry-After": {
    description: "Seconds after which the same request is admitted, or may succeed",
    schema: text("^[0-9]+$", 5),
  },
  ETag: {
    description: "Changes when the content changes or becomes stale; send it as If-None-Match",
    schema: text('^W/"[A-Za-z0-9_-]{22}\\.[01]"$', 28),
  },
  "X-As-Of": {
    description: "blockNumber;blockHash;blockTimestamp;stale (0 or 1) of the answer, on 200 and 304",
    schema: text("^[0-9]+;0x[0-9a-f]{64};[0-9]+;[01]$", 164),
  },
};

export function referTo(...names: (keyof typeof headers)[]): { [name: string]: Json } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const commonHeaders = referTo(
  "Access-Control-Allow-Origin",
  "X-Request-Id",
  "X-Service-Lane",
  "RateLimit-Policy",
  "RateLimit",
);
export const pollingHeaders = referTo("ETag", "X-As-Of");
