/** The service's answers, computed against your own node. */
export { DuedayError, type DuedayErrorCode, type DuedayErrorFacts } from "./http/duedayError";
export { createLocalDueday, type LocalDueday, type LocalDuedayOptions } from "./local/createLocalDueday";
export type { LocalOperation } from "./local/localOperation";
