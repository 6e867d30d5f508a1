/** What every read of a chain has in common. */
export const chainRead = {
  chainScoped: true,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
} as const;

/** A read that asks a node. */
export const liveRead = {
  ...chainRead,
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
} as const;

/** A read of the event index. */
export const indexedRead = { ...chainRead, errors: ["NOT_INDEXED", "UPSTREAM_UNAVAILABLE"] } as const;
