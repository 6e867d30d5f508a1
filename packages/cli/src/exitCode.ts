import type { DuedayError } from "@dueday/sdk";

/** The exit codes of the command. Any other fault of the program ends it with 1. */
export const EXIT = { ok: 0, usage: 2, refused: 3, unavailable: 4 } as const;

/** 2 for an input that the service does not accept, 3 where it refuses, 4 where the same call may succeed later. */
export function exitCodeOf({ code, status }: DuedayError): number {
  if (code === "VALIDATION_ERROR") return EXIT.usage;
  if (code === "REFUSED" || code === "TRANSACTION_FAILED") return EXIT.refused;
  const isRefused = status !== null && status >= 400 && status < 500 && status !== 429 && code !== "INVALID_ANSWER";
  return isRefused ? EXIT.refused : EXIT.unavailable;
}

/** The message of an error with its code, and a line for each fault. */
export function describeError({ code, message, issues, requestId }: DuedayError): string[] {
  const request = requestId === null ? [] : [`request: ${requestId}`];
  return [
    `${code}: ${message}`,
    ...issues.map(({ path, message: fault }) => `${path ?? "input"}: ${fault}`),
    ...request,
  ];
}
