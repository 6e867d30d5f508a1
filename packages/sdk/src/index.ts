/** The HTTP client: every operation of a Dueday service as a typed method. */

export type { CallOptions } from "./callOptions";
export {
  createDueday,
  type Dueday,
  type DuedayCsv,
  type DuedayOptions,
} from "./createDueday";
export type { DuedayMethod, Prepared, PrepareMethod, ReadinessOnly } from "./duedayMethod";
export type { EventsInput, EventsOptions } from "./events/followEvents";
export type { Fetch } from "./http/createTransport";
export { DuedayError, type DuedayErrorCode, type DuedayErrorFacts } from "./http/duedayError";
export type { CsvOperation } from "./http/operationRoutes";
export type * from "./operationTypes";
export { type PlanQuote, type QuotePlanParameters, quotePlan } from "./quotePlan";
