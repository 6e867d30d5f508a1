import { type ErrorCode, errorStatus } from "@dueday/core/errors";
import type { Operation } from "../../operation/defineOperation";
import { pascalCase } from "./documentedSchemas";
import { errorCodesOf } from "./errorCodesOf";
import type { Json } from "./plain";
import { commonHeaders, referTo } from "./sharedParts";

/** Statuses that may have a Retry-After. */
const RETRIED: readonly number[] = [errorStatus.RATE_LIMITED, errorStatus.NOT_INDEXED];

/** The answers of an operation's errors by status, as references: one component for each set of codes that share a status. */
export function errorResponses(operation: Operation): { [status: string]: Json } {
  return Object.fromEntries(
    codesByStatus(operation).map(([status, codes]) => [status, { $ref: `#/components/responses/${nameOf(codes)}` }]),
  );
}

/** The components that the references of `errorResponses` name. */
export function errorResponseComponents(operations: readonly Operation[]): { [name: string]: Json } {
  return Object.fromEntries(
    operations.flatMap(codesByStatus).map(([status, codes]) => [
      nameOf(codes),
      {
        description: codes.join(" or "),
        headers: { ...commonHeaders, ...(RETRIED.includes(status) ? referTo("Retry-After") : {}) },
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}

/** Codes in the order of their list, so that a set of them has one name. */
function codesByStatus(operation: Operation): [status: number, codes: ErrorCode[]][] {
  const own = errorCodesOf(operation);
  // Object.keys is typed as string[]; the keys are exactly the codes.
  const codes = (Object.keys(errorStatus) as ErrorCode[]).filter((code) => own.has(code));
  return [...Map.groupBy(codes, (code) => errorStatus[code])];
}

/** `NOT_READY`, `MAX_KEYS` -> `NotReadyOrMaxKeys`. */
function nameOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => pascalCase(code.toLowerCase())).join("Or");
}
