import type { Issue } from "@dueday/core/errors";
import { ServiceError } from "@dueday/core/errors";
import { Value } from "@sinclair/typebox/value";
import { compileSchema } from "./compileSchema";
import type { CheckedInput, Runnable } from "./defineOperation";
import { describeFault } from "./describeFault";

/** What a surface gathered for an operation: the values as they came, and what it found wrong while gathering. */
export type RawInput = { values: Record<string, unknown>; issues: readonly Issue[] };

/** Faults reported at most: a body of 64 KiB can have thousands of unknown keys. */
const ISSUES = 20;

// The URL of a polled read is gathered once and kept, so it is judged once too.
const judged = new WeakMap<RawInput, CheckedInput>();

/**
 * Fills in defaults and holds the values against the operation's input schema. Keys that it does not name are refused.
 *
 * @throws ServiceError VALIDATION_ERROR with an issue for each fault.
 */
export function checkInput(operation: Pick<Runnable, "input">, raw: RawInput): CheckedInput {
  const known = judged.get(raw);
  if (known !== undefined) return known;
  const input = { ...raw.values };
  Value.Default(operation.input, input);
  const check = compileSchema(operation.input);
  const issues = raw.issues.length === 0 && check.Check(input) ? [] : [...raw.issues, ...faultsOf(check.Errors(input))];
  if (issues.length > 0) throw invalidInput(issues);
  const checked = input as CheckedInput; // the check above is what makes it one
  judged.set(raw, checked);
  return checked;
}

/** One issue for each field: where several faults meet on one field, the first says enough. */
function faultsOf(errors: Iterable<Parameters<typeof describeFault>[0]>): Issue[] {
  const byField = new Map<string | undefined, Issue>();
  for (const error of errors) {
    const issue = describeFault(error);
    if (!byField.has(issue.path)) byField.set(issue.path, issue);
    if (byField.size >= ISSUES) break;
  }
  return [...byField.values()];
}

/** The refusal of an input, with everything that is wrong with it. */
export function invalidInput(issues: readonly Issue[]): ServiceError {
  const [first] = issues;
  const sentence =
    first === undefined ? "The request is not valid" : [first.path, first.message].filter(Boolean).join(" ");
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more, see issues)` : "";
  return new ServiceError("VALIDATION_ERROR", `${sentence}${others}`, { issues: issues.slice(0, ISSUES) });
}
