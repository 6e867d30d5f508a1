import { validationError } from "@dueday/core/errors";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { type Address, getAddress, type Hex, isHash } from "viem";

/** Checks of inputs that the service's schemas make over HTTP. All throw ServiceError VALIDATION_ERROR. */

/** A checksummed address. */
export function requireAddress(path: string, value: string): Address {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) return getAddress(toLowerCase(value));
  throw validationError(path, "MALFORMED", "must be an address: 0x and 40 hex digits");
}

/** 32 bytes in lower case. */
export function requireBytes32(path: string, value: string): Hex {
  const lower = typeof value === "string" ? toLowerCase(value) : "";
  if (isHash(lower) && /^0x[0-9a-f]{64}$/.test(lower)) return lower;
  throw validationError(path, "MALFORMED", "must be 32 bytes: 0x and 64 hex digits");
}

export type Page = { first: number; skip: number };

const [FIRST_DEFAULT, FIRST_LIMIT, SKIP_LIMIT] = [50, 200, 5_000];

/** The page of a list, with the service's defaults. */
export function requirePage(input: { first?: number | undefined; skip?: number | undefined }): Page {
  const { first = FIRST_DEFAULT, skip = 0 } = input;
  return { first: requireInteger("first", first, 1, FIRST_LIMIT), skip: requireInteger("skip", skip, 0, SKIP_LIMIT) };
}

export function requireInteger(path: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw validationError(path, "OUT_OF_RANGE", `must be an integer, ${minimum} to ${maximum}`);
}
