import type { TSchema } from "@sinclair/typebox";

/** A JSON Schema as MCP sends it. */
export type JsonSchema = { [keyword: string]: Json };
type Json = string | number | boolean | null | Json[] | JsonSchema;

/**
 * The arguments of a tool: what helps to write them. Patterns are left away, since descriptions say the same in fewer words; the
 * service itself holds arguments against the whole schema.
 *
 * @param more properties besides those of the schema
 */
export function compactInput(schema: TSchema, more: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { properties, ...others } = compact(plain(schema), INPUT);
  return { ...others, properties: { ...asSchema(properties), ...more }, additionalProperties: false };
}

/**
 * The structure of an answer: every property with its type or its values, and which of the answer's own are required. All tools
 * together have to stay small enough for an agent to hold (a test measures them), so
 *
 * - descriptions, patterns, ranges and what is required inside of parts are left to OpenAPI,
 * - properties of a part that have one plain type are named together, in a pattern,
 * - what occurs again is written once, under $defs.
 */
export function compactOutput(schema: TSchema): JsonSchema {
  return shareParts(mergeForms(compact(plain(schema), OUTPUT)));
}

type Property = [name: string, schema: JsonSchema];
type Rules = { keywords: readonly string[]; nestedRequired: boolean };
const INPUT: Rules = { keywords: ["description", "default", "minimum", "maximum"], nestedRequired: true };
const OUTPUT: Rules = { keywords: [], nestedRequired: false };

/** Longer enumerations are given by their type. */
const LONGEST_ENUM = 12;
/** An object with more optional properties, all of them scalars, is a record of whatever applies: only their type is told. */
const MOST_OPTIONAL = 8;
/** Fewer properties are no shorter in a pattern. */
const FEWEST_TOGETHER = 3;

function plain(schema: TSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: Json | undefined): JsonSchema {
  return isSchema(value) ? value : {};
}

function compact(schema: JsonSchema, rules: Rules, isRoot = true): JsonSchema {
  const own = Object.fromEntries(rules.keywords.flatMap((key) => (key in schema ? [[key, schema[key] ?? null]] : [])));
  const { anyOf, properties, items, required, type } = schema;
  const inner = (each: JsonSchema, root = false) => compact(each, rules, root);
  if (Array.isArray(anyOf)) return { ...unite(anyOf.filter(isSchema).map((each) => inner(each, isRoot))), ...own };
  if (schema.const !== undefined) return { const: schema.const, ...own };
  if (isSchema(items)) return { type: "array", items: inner(items), ...own };
  if (!isSchema(properties)) return { ...(type === undefined ? {} : { type }), ...own };
  const compacted = Object.entries(properties).map(([key, each]): Property => [key, inner(asSchema(each))]);
  const keys = Array.isArray(required) ? required : [];
  return {
    type: "object",
    ...own,
    ...(rules === OUTPUT && !isRoot ? describePart(compacted, keys) : { properties: Object.fromEntries(compacted) }),
    ...(keys.length > 0 && (isRoot || rules.nestedRequired) ? { required: keys } : {}),
  };
}

function describePart(properties: Property[], required: readonly Json[]): JsonSchema {
  const [needed, optional] = split(properties, ([key]) => required.includes(key));
  const isRecord = optional.length > MOST_OPTIONAL && optional.every(([, schema]) => isScalar(schema));
  if (!isRecord) return nameTogether(properties);
  const types = new Set(optional.flatMap(([, { type }]) => type ?? "string"));
  return { ...nameTogether(needed), additionalProperties: { type: [...types] } };
}

/** Properties that share a plain type go into one pattern; one stays outside at least, so that every object shows properties. */
function nameTogether(properties: Property[]): JsonSchema {
  const plainTypes = Map.groupBy(properties, ([, schema]) =>
    Object.keys(schema).join() === "type" ? schema.type : null,
  );
  const groups = [...plainTypes].filter(([type, group]) => typeof type === "string" && group.length >= FEWEST_TOGETHER);
  const [grouped, single] = split(properties, (property) => groups.some(([, group]) => group.includes(property)));
  if (grouped.length === 0 || single.length === 0) return { properties: Object.fromEntries(properties) };
  const patterns = groups.map(([type = null, group]) => [`^(${group.map(([key]) => key).join("|")})$`, { type }]);
  return { properties: Object.fromEntries(single), patternProperties: Object.fromEntries(patterns) };
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
  return { anyOf: members };
}

/** An answer that has one of several forms: MCP wants an object at the root, so the forms differ in what they require. */
function mergeForms(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const forms = schema.anyOf.filter(isSchema);
  const requiredOf = ({ required }: JsonSchema) => (Array.isArray(required) ? required : []);
  const [first, ...others] = forms.map(requiredOf);
  const shared = (first ?? []).filter((key) => others.every((keys) => keys.includes(key)));
  return {
    type: "object",
    properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
    required: shared,
    anyOf: forms.map((form) => ({ required: requiredOf(form).filter((key) => !shared.includes(key)) })),
  };
}

/** Below this length a reference is no shorter than the part. */
const SHORTEST_SHARED = 60;

/** Writes parts that occur more than once under $defs. */
function shareParts(root: JsonSchema): JsonSchema {
  const counts = new Map<string, number>();
  const count = (part: Json): void => {
    if (Array.isArray(part)) part.forEach(count);
    if (!isSchema(part)) return;
    const text = JSON.stringify(part);
    const times = (counts.get(text) ?? 0) + 1;
    counts.set(text, times);
    // What lies inside of a part that is shared already is written once with it.
    if (times === 1) Object.values(part).forEach(count);
  };
  Object.values(root).forEach(count);
  const shared = [...counts].filter(([text, times]) => times > 1 && text.length > SHORTEST_SHARED);
  const names = new Map(shared.map(([text], index) => [text, String.fromCharCode(65 + index)]));
  const refer = (part: Json): Json => {
    const name = names.get(JSON.stringify(part));
    return name === undefined ? referInside(part) : { $ref: `#/$defs/${name}` };
  };
  const referInside = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(refer);
    return isSchema(part) ? Object.fromEntries(Object.entries(part).map(([key, each]) => [key, refer(each)])) : part;
  };
  const body = asSchema(referInside(root));
  if (names.size === 0) return body;
  return {
    ...body,
    $defs: Object.fromEntries([...names].map(([text, name]) => [name, referInside(JSON.parse(text))])),
  };
}
