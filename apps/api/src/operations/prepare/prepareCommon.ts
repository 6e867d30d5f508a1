import type { ErrorCode } from "@dueday/core/errors";

const errors: readonly ErrorCode[] = [
  "NOT_READY",
  "SIMULATION_FAILED",
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
];

/** What all prepares of a subscription's transactions share. */
export const prepareCommon = {
  chainScoped: true,
  bucket: "write",
  area: "subscriptions",
  // Preparing changes nothing: only the caller can sign and broadcast.
  annotations: { readOnlyHint: true, openWorldHint: true },
  errors,
} as const;
