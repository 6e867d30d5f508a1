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
    schema: { type: "string", pattern: "^(?:eip155:)?[1-9][0-9]{0,15}$" },
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
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,14})$" },
};

export const ifNoneMatchParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier answer: 304 while the content is the same",
  schema: { type: "string" },
};

export const lastEventIdParameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "Of a stream: the seq of the last event received. It wins over after; browsers send it when they reconnect",
  schema: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,15})$" },
};

/** Headers of answers: written once, under components. */
export const headers = {
  "X-Request-Id": "UUID of the request; the client's own if it sent a UUID",
  "X-Service-Lane": "The lane that was applied: free, developer, or none on a 401",
  "RateLimit-Policy": 'Limit and window in seconds of each bucket that was consulted: "global";q=20;w=60',
  RateLimit: 'Remaining requests of each bucket, and seconds until some are available again: "global";r=17;t=42',
  "Retry-After": "Seconds after which the same request is admitted, or may succeed",
  ETag: "Changes when the content changes or becomes stale; send it as If-None-Match",
  "X-As-Of": "blockNumber;blockHash;blockTimestamp;stale (0 or 1) of the answer, on 200 and 304",
};

export function referTo(...names: (keyof typeof headers)[]): { [name: string]: Json } {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const commonHeaders = referTo("X-Request-Id", "X-Service-Lane", "RateLimit-Policy", "RateLimit");
export const pollingHeaders = referTo("ETag", "X-As-Of");
