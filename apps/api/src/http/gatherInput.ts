import type { Issue } from "@dueday/core/errors";
import { Kind, type TSchema } from "@sinclair/typebox";
import type { RawInput } from "../operation/checkInput";
import { type Operation, type Place, placeOf } from "../operation/defineOperation";

/**
 * The values that path and query give to an operation. Text of the query becomes an integer or a boolean where the schema asks
 * for one and the text is exactly that; any other text stays text, for the schema to refuse. A name may be given twice only where
 * the schema asks for a list. `chainId` is the gate's.
 */
export function gatherQuery(
  operation: Operation,
  pathValues: Readonly<Record<string, string>>,
  query: URLSearchParams,
): RawInput {
  const values: Record<string, unknown> = { ...pathValues };
  const issues: Issue[] = [];
  for (const key of new Set(query.keys())) {
    if (key === "chainId") continue;
    const texts = query.getAll(key);
    const issue =
      misplaced(operation, key, "query") ?? (texts.length > 1 && !isRepeatable(operation, key) ? repeated(key) : null);
    if (issue === null) values[key] = convert(operation.input.properties[key], texts);
    else issues.push(issue);
  }
  return { values, issues };
}

/** Adds the keys of a JSON body to what path and query gave. */
export function gatherBody(operation: Operation, raw: RawInput, body: Readonly<Record<string, unknown>>): RawInput {
  const values = { ...raw.values };
  const issues = [...raw.issues];
  for (const [key, value] of Object.entries(body)) {
    const issue = misplaced(operation, key, "body");
    if (issue === null) values[key] = value;
    else issues.push(issue);
  }
  return { values, issues };
}

const placeNames: Record<Place, string> = { path: "the path", query: "the query string", body: "the JSON body" };

function misplaced(operation: Operation, key: string, place: Place): Issue | null {
  if (key === "chainId" && place === "body") {
    return { code: "MISPLACED", path: key, message: "belongs in the query string (?chainId=8453), not in the body" };
  }
  const { properties } = operation.input;
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (schema === undefined) {
    return { code: "UNKNOWN_KEY", path: key, message: "is not known here; remove it or correct its name" };
  }
  const home = placeOf(schema);
  if (home === place || home === null) return null;
  return { code: "MISPLACED", path: key, message: `belongs in ${placeNames[home]}, not in ${placeNames[place]}` };
}

function repeated(key: string): Issue {
  return { code: "REPEATED", path: key, message: "must be given once" };
}

const INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

/** A list in the query is one value for each time that its name is given. */
function isRepeatable(operation: Operation, key: string): boolean {
  return operation.input.properties[key]?.[Kind] === "Array";
}

function convert(schema: TSchema | undefined, texts: string[]): unknown {
  if (schema?.[Kind] === "Array") return texts;
  const [text = ""] = texts;
  if (schema?.[Kind] === "Integer" && INTEGER.test(text)) return Number(text);
  if (schema?.[Kind] === "Boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
