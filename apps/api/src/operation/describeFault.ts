import { dueDayBounds, FREQUENCIES } from "@dueday/core/calendar/frequency";
import type { IssueCode } from "@dueday/core/codes";
import type { Issue } from "@dueday/core/errors";
import { DueDay } from "@dueday/core/schema";
import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { ValuePointer } from "@sinclair/typebox/value";

/**
 * A fault that TypeBox found, as an issue that names the field and what it accepts.
 *
 * @param input all values of the request: the bounds of one may depend on another
 */
export function describeFault(fault: ValueError, input: unknown): Issue {
  const { schema, value } = fault;
  const inner = faultOfNullable(fault);
  if (inner !== null) return describeFault(inner, input);
  const path = fault.path.slice(1).replaceAll("/", ".");
  const issue = (code: IssueCode, message: string): Issue => ({ code, ...(path === "" ? {} : { path }), message });
  const expected = dueDayOf(fault, input) ?? expectation(schema);
  switch (fault.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return issue("UNKNOWN_KEY", "is not a parameter of this operation; remove it or correct its name");
    case ValueErrorType.ObjectRequiredProperty:
      return issue("REQUIRED", `is required: ${expected}`);
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return issue("MALFORMED", `must be ${expected}`);
    case ValueErrorType.StringMinLength:
    case ValueErrorType.StringMaxLength:
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
      return issue("WRONG_LENGTH", `must be ${expected}; it has ${lengthOf(value)}`);
    case ValueErrorType.ArrayUniqueItems:
      return issue("REPEATED", "must not have an entry twice");
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
      return issue("OUT_OF_RANGE", `must be ${expected}`);
    case ValueErrorType.Union:
    case ValueErrorType.Literal:
      return issue("NOT_ALLOWED", `must be ${expected}`);
    default:
      return issue("WRONG_TYPE", `must be ${expected}, not ${kindOf(value)}`);
  }
}

/**
 * For a schema that accepts null or one other choice: the fault of the entry or bound that does not fit, where the value has the type of
 * that choice. Null where a list of the choices is more helpful.
 */
function faultOfNullable({ type, schema, value, path, errors }: ValueError): ValueError | null {
  if (type !== ValueErrorType.Union || value === null) return null;
  const choices: readonly TSchema[] = schema.anyOf;
  if (choices.length !== 2 || choices[1]?.type !== "null") return null;
  const first = errors[0]?.First();
  if (first === undefined) return null;
  const hasOtherType = first.path === path && !BOUNDS.has(first.type);
  return hasOtherType ? null : first;
}

/** Faults of a value whose type is right. */
const BOUNDS: ReadonlySet<ValueErrorType> = new Set([
  ValueErrorType.StringPattern,
  ValueErrorType.StringFormat,
  ValueErrorType.StringMinLength,
  ValueErrorType.StringMaxLength,
  ValueErrorType.ArrayMinItems,
  ValueErrorType.ArrayMaxItems,
  ValueErrorType.IntegerMinimum,
  ValueErrorType.IntegerMaximum,
]);

/** The bounds of a dueDay by the frequency that came with it; null for another field, or where that frequency is missing or unknown. */
function dueDayOf({ schema, path }: ValueError, input: unknown): string | null {
  if (schema.expects !== DueDay.expects) return null;
  const beside: unknown = ValuePointer.Get(input, `${path.slice(0, path.lastIndexOf("/"))}/frequency`);
  const frequency = FREQUENCIES.find((each) => each === beside);
  return frequency === undefined ? null : `an integer, ${dueDayBounds(frequency)}`;
}

function lengthOf(value: unknown): string {
  if (typeof value === "string") return `${value.length} characters`;
  return Array.isArray(value) ? `${value.length} entries` : "another length";
}

/** The type of a value, in words of JSON. */
function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return Number.isInteger(value) ? "a number" : "a fraction";
    case "boolean":
      return "true or false";
    default:
      return "an object";
  }
}

/** What a schema accepts, in words: its own `expects`, or else its type and bounds. Patterns are never shown. */
function expectation(schema: TSchema): string {
  if (typeof schema.expects === "string") return schema.expects;
  if ("const" in schema) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "integer":
      return `an integer${range(schema.minimum, schema.maximum)}`;
    case "string":
      return `a string${lengthLimits(schema.minLength, schema.maxLength)}`;
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "object":
      return "an object";
    case "array":
      return `a list of${range(schema.minItems, schema.maxItems).replace(",", "")} entries, each ${expectation(schema.items)}`;
  }
  return Array.isArray(schema.anyOf) ? listOf(schema.anyOf.map(expectation)) : "another value";
}

/** `a`, `a or b`, `a, b or c`. */
function listOf(choices: readonly string[]): string {
  const last = choices.at(-1) ?? "";
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(", ")} or ${last}`;
}

function range(minimum?: number, maximum?: number): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}

function lengthLimits(minLength = 0, maxLength?: number): string {
  if (minLength > 0 && maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  return maxLength === undefined ? "" : ` of at most ${maxLength} characters`;
}
