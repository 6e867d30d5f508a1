import type { Issue } from "@dueday/core/errors";
import { Kind, type TSchema } from "@sinclair/typebox";
import type { Exchange } from "../../http/exchange";
import type { RawInput } from "../../operation/checkInput";
import { type Operation, type Place, placeOf } from "../../operation/defineOperation";

/**
 * Gathers an operation's input from path, query and body. Text of the query becomes an integer or a boolean where the schema wants
 * one and the text is exactly that; any other text stays text, and the schema refuses it. A name may be repeated only where the
 * schema wants a list. `chainId` in the query belongs to the gate, `minBlock` to the route.
 */
export function gatherInput(
  operation: Operation,
  { params, query, chain }: Pick<Exchange, "params" | "query" | "chain">,
  body: Readonly<Record<string, unknown>>,
): RawInput {
  const values: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const add = (issue: Issue | null, key: string, value: unknown) => {
    if (issue === null) values[key] = value;
    else issues.push(issue);
  };
  // A parameter that can't be decoded becomes an empty text, which the schema refuses with its own message.
  for (const [key, text] of Object.entries(params)) values[key] = text ?? "";
  const queryKeys = query.size === 0 ? [] : new Set(query.keys());
  for (const key of queryKeys) {
    if (key === "chainId" || (key === "minBlock" && operation.chainScoped)) continue;
    const schema = operation.input.properties[key];
    const texts = query.getAll(key);
    add(misplaced(operation, key, "query") ?? repeated(schema, key, texts), key, convert(schema, texts));
  }
  for (const [key, value] of Object.entries(body)) {
    const isChain = key === "chainId" && operation.chainScoped;
    add(isChain ? chainInBody(chain.config.chainId) : misplaced(operation, key, "body"), key, value);
  }
  return { values, issues };
}

const placeNames: Record<Place, string> = { path: "the path", query: "the query string", body: "the JSON body" };

function chainInBody(example: number): Issue {
  const message = `belongs in the query string (?chainId=${example}), not in the body; the chains that are served are chains[] of GET /catalog`;
  return { code: "MISPLACED", path: "chainId", message };
}

function misplaced(operation: Operation, key: string, place: Place): Issue | null {
  const { properties } = operation.input;
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (schema === undefined) {
    return { code: "UNKNOWN_KEY", path: key, message: "is not known here; remove it or correct its name" };
  }
  const home = placeOf(schema);
  if (home === place || home === null) return null;
  return { code: "MISPLACED", path: key, message: `belongs in ${placeNames[home]}, not in ${placeNames[place]}` };
}

function repeated(schema: TSchema | undefined, key: string, texts: readonly string[]): Issue | null {
  if (texts.length === 1 || isList(schema)) return null;
  return { code: "REPEATED", path: key, message: "must be given once" };
}

const INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

function convert(schema: TSchema | undefined, texts: string[]): unknown {
  if (isList(schema)) return texts;
  const [text = ""] = texts;
  if (schema?.[Kind] === "Integer" && INTEGER.test(text)) return Number(text);
  if (schema?.[Kind] === "Boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** A list in the query has one value for each time that its name is given. */
function isList(schema: TSchema | undefined): boolean {
  return schema?.[Kind] === "Array";
}
