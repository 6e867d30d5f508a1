import type { Issue } from "@dueday/core/errors";
import type { TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";

/** A fault that TypeBox found, as an issue that names the field and what it accepts. */
export function describeFault(fault: ValueError): Issue {
  const path = fault.path.slice(1).replaceAll("/", ".");
  const issue = (code: string, message: string): Issue => ({ code, ...(path === "" ? {} : { path }), message });
  switch (fault.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return issue("UNKNOWN_KEY", "is not a parameter of this operation; remove it or correct its name");
    case ValueErrorType.ObjectRequiredProperty:
      return issue("REQUIRED", `is required: ${expectation(fault.schema)}`);
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return issue("MALFORMED", `must be ${expectation(fault.schema)}`);
    case ValueErrorType.StringMinLength:
    case ValueErrorType.StringMaxLength:
    case ValueErrorType.ArrayMinItems:
    case ValueErrorType.ArrayMaxItems:
      return issue("WRONG_LENGTH", `must be ${expectation(fault.schema)}`);
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
      return issue("OUT_OF_RANGE", `must be ${expectation(fault.schema)}`);
    case ValueErrorType.Union:
    case ValueErrorType.Literal:
      return issue("NOT_ALLOWED", `must be ${expectation(fault.schema)}`);
    default:
      return issue("WRONG_TYPE", `must be ${expectation(fault.schema)}`);
  }
}

/** What a schema accepts, in words: its own `expects`, or else its type and bounds. Patterns are never shown. */
function expectation(schema: TSchema): string {
  if (typeof schema.expects === "string") return schema.expects;
  switch (schema.type) {
    case "integer":
      return `an integer${range(schema.minimum, schema.maximum)}`;
    case "string":
      return `a string${lengthLimits(schema.minLength, schema.maxLength)}`;
    case "boolean":
      return "true or false";
    case "object":
      return "an object";
    case "array":
      return `an array${range(schema.minItems, schema.maxItems)}`;
  }
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(expectation).join(" or ");
  return "const" in schema ? JSON.stringify(schema.const) : "another value";
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
