import type { TSchema } from "@sinclair/typebox";
import { asSchema, isSchema, type Json, type JsonSchema, shareParts } from "./shareParts";

/**
 * The arguments of a tool: what helps to write them. Patterns are omitted, because descriptions are shorter; the service validates
 * arguments against the whole schema.
 *
 * @param more properties besides those of the schema
 */
export function compactInput(schema: TSchema, more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { properties, ...others } = compact(plain(schema), INPUT);
  return { ...others, properties: { ...asSchema(properties), ...more }, additionalProperties: false };
}

/**
 * The structure of an answer: every property with its type or its values. All tools together have to stay small enough for an agent to hold (a test measures them), so
 *
 * - descriptions, patterns, ranges and what is required are left to OpenAPI,
 * - properties of a part that have one plain type are named together, in a pattern,
 * - what occurs again is written once, under $defs.
 */
export function compactOutput(schema: TSchema): JsonSchema {
  return shareParts(mergeForms(compact(plain(schema), OUTPUT)));
}

type Property = [name: string, schema: JsonSchema];
type Rules = { keywords: readonly string[]; hasRequired: boolean };
const INPUT: Rules = { keywords: ["description", "default", "minimum", "maximum"], hasRequired: true };
const OUTPUT: Rules = { keywords: [], hasRequired: false };

/** A union of more objects becomes one object with the properties of all. */
const MOST_FORMS = 4;
/** Longer enumerations are given by their type. */
const LONGEST_ENUM = 12;
/** An object with more optional properties, all of them scalars, becomes a record: only the type of its values is given. */
const MOST_OPTIONAL = 8;
/** One property is no shorter in a pattern. */
const FEWEST_TOGETHER = 2;

function plain(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

function compact(schema: JsonSchema, rules: Rules, isRoot = true): JsonSchema {
  const kept = rules.keywords.filter((key) => key in schema);
  const own = Object.fromEntries(kept.map((key) => [key, schema[key] ?? null]));
  const { anyOf, properties, items, type } = schema;
  const inner = (each: JsonSchema, root = false) => compact(each, rules, root);
  if (Array.isArray(anyOf)) return { ...unite(anyOf.filter(isSchema).map((each) => inner(each, isRoot))), ...own };
  if (schema.const !== undefined) return { const: schema.const, ...own };
  if (isSchema(items)) return { type: "array", items: inner(items), ...own };
  if (!isSchema(properties)) return { ...(type === undefined ? {} : { type }), ...own };
  // An argument that is accepted and ignored has no type; an agent need not know of it.
  const typed = Object.entries(properties).filter(([, each]) =>
    Object.keys(asSchema(each)).some((key) => key !== "description"),
  );
  const compacted = typed.map(([key, each]): Property => [key, inner(asSchema(each))]);
  // What has a default need not be given.
  const mayBeAbsent = ([key, each]: Property) => each.default !== undefined || !requiredOf(schema).includes(key);
  const keys = split(compacted, mayBeAbsent)[1].map(([key]) => key);
  return {
    type: "object",
    ...own,
    ...(rules === OUTPUT && !isRoot ? describePart(compacted, keys) : { properties: Object.fromEntries(compacted) }),
    ...(keys.length > 0 && rules.hasRequired ? { required: keys } : {}),
  };
}

function describePart(properties: Property[], required: readonly Json[]): JsonSchema {
  const [needed, optional] = split(properties, ([key]) => required.includes(key));
  const isRecord = optional.length > MOST_OPTIONAL && optional.every(([, schema]) => isScalar(schema));
  if (!isRecord) return nameTogether(properties);
  const types = new Set(optional.flatMap(([, { type }]) => type ?? "string"));
  return { ...nameTogether(needed), additionalProperties: { type: [...types] } };
}

/** Properties that share a plain type, or the same types, go into one pattern. */
function nameTogether(properties: Property[]): JsonSchema {
  const plainTypes = Map.groupBy(properties, ([, schema]) =>
    Object.keys(schema).join() === "type" ? JSON.stringify(schema) : null,
  );
  const groups = [...plainTypes].flatMap(([type, group]) =>
    type !== null && group.length >= FEWEST_TOGETHER ? [group] : [],
  );
  const [grouped, single] = split(properties, (property) => groups.some((group) => group.includes(property)));
  if (grouped.length === 0) return { properties: Object.fromEntries(properties) };
  const patterns = groups.map((group) => [`^(${group.map(([key]) => key).join("|")})$`, group[0]?.[1] ?? null]);
  return {
    ...(single.length > 0 ? { properties: Object.fromEntries(single) } : {}),
    patternProperties: Object.fromEntries(patterns),
  };
}

function isObject({ type }: JsonSchema): boolean {
  return type === "object";
}

function split<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

function isScalar({ type, enum: values }: JsonSchema): boolean {
  return values !== undefined || (type !== undefined && type !== "object" && type !== "array");
}

/** Constants become an enumeration, plain types a list of types. */
function unite(members: JsonSchema[]): JsonSchema {
  const constants = members.flatMap((member) => (member.const === undefined ? [] : [member.const]));
  if (constants.length === members.length)
    return constants.length > LONGEST_ENUM
      ? { type: [...new Set(constants.map((value) => typeof value))].join() }
      : { enum: constants };
  const types = members.flatMap((member) => (Object.keys(member).join() === "type" ? [member.type ?? null] : []));
  if (types.length === members.length) return { type: [...new Set(types)] };
  if (members.length > MOST_FORMS && members.every(isObject)) return merge(members);
  return { anyOf: members };
}

/** One object for many: every property of any of them, with its schema where that is the same in all, merged where all are objects, else with its types. */
function merge(members: readonly JsonSchema[]): JsonSchema {
  const byName = Map.groupBy(
    members.flatMap(({ properties, patternProperties }) => [
      ...Object.entries(asSchema(properties)),
      ...Object.entries(asSchema(patternProperties)).flatMap(([pattern, schema]) =>
        pattern
          .slice(2, -2)
          .split("|")
          .map((name): [string, Json] => [name, schema]),
      ),
    ]),
    ([name]) => name,
  );
  const properties = [...byName].map(([name, entries]): Property => {
    const schemas = entries.map(([, schema]) => asSchema(schema));
    const [one = {}] = schemas;
    const isSame = schemas.every((schema) => JSON.stringify(schema) === JSON.stringify(one));
    if (isSame) return [name, one];
    if (schemas.every(isObject)) return [name, merge(schemas)];
    const types = schemas.flatMap((schema) => schema.type ?? typeof (schema.const ?? asList(schema.enum)[0] ?? ""));
    return [name, { type: [...new Set(types.flat())] }];
  });
  return { type: "object", ...nameTogether(properties.map(([name, schema]) => [name, single(schema)])) };
}

/** A list of one type is that type. */
function single(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return Array.isArray(type) && type.length === 1 ? { ...schema, type: type[0] ?? null } : schema;
}

function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** An answer that has one of several forms. MCP requires an object at the root, so the schema has the properties of all forms. */
function mergeForms(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const forms = schema.anyOf.filter(isSchema);
  return { type: "object", properties: Object.assign({}, ...forms.map(({ properties }) => properties)) };
}

function requiredOf({ required }: JsonSchema): Json[] {
  return Array.isArray(required) ? required : [];
}
