import { type Issue, invalidInput } from "@dueday/core/errors";
import { ValueErrorType } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { addressFaults } from "./addressFaults";
import { compileSchema } from "./compileSchema";
import type { CheckedInput, Runnable } from "./defineOperation";
import { describeFault } from "./describeFault";

/** The values of a request by property, unchecked, and the faults that the surface found while it gathered them. */
export type RawInput = { values: Record<string, unknown>; issues: readonly Issue[] };

/** The most faults that a check reports: a body of 64 KiB can have thousands of unknown keys. */
const MOST_FAULTS = 20;

/**
 * Fills in defaults and checks the values against the operation's input schema. Keys that the schema does not name are rejected.
 *
 * @throws ServiceError VALIDATION_ERROR with the issues of `raw`, and of the first check that fails (schema, well-formed texts, addresses): one
 *   for each field, at most 20
 */
export function checkInput({ input: schema }: Pick<Runnable, "input">, raw: RawInput): CheckedInput {
  const input = { ...raw.values };
  Value.Default(schema, input);
  const compiled = compileSchema(schema);
  const fits = raw.issues.length === 0 && compiled.Check(input);
  if (!fits) throw invalidInput([...raw.issues, ...faultsOf(compiled.Errors(input), input)]);
  // After the check of the schema, which bounds the depth.
  const malformed = malformedTexts(input, "");
  if (malformed.length > 0) throw invalidInput(malformed.slice(0, MOST_FAULTS));
  const refused = addressFaults(schema, input, "");
  if (refused.length > 0) throw invalidInput(refused.slice(0, MOST_FAULTS));
  return Object.freeze(input) as CheckedInput; // the check above is the proof
}

/** One issue for each field: its first fault, or the fault of its pattern, which is more exact than one of its length. */
function faultsOf(errors: Iterable<Parameters<typeof describeFault>[0]>, input: unknown): Issue[] {
  const byField = new Map<string | undefined, Issue>();
  for (const error of errors) {
    const issue = describeFault(error, input);
    if (!byField.has(issue.path) || error.type === ValueErrorType.StringPattern) byField.set(issue.path, issue);
    if (byField.size >= MOST_FAULTS) break;
  }
  return [...byField.values()];
}

/** Texts with half a surrogate pair: database, chain and log would each store another text than the one that was sent. */
function malformedTexts(value: unknown, path: string): Issue[] {
  if (typeof value === "string") {
    if (value.isWellFormed()) return [];
    return [{ code: "MALFORMED", path, message: "must be well-formed Unicode: it contains half a surrogate pair" }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => malformedTexts(each, path === "" ? key : `${path}.${key}`));
}
