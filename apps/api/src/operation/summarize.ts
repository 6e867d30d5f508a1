import type { TSchema } from "@sinclair/typebox";

/**
 * What a summary leaves out of an answer. Paths are dotted names; a path enters every item of a list, e.g.
 * `plan.transactions.callerFees`.
 */
export type Summarized = {
  omits?: readonly string[];
  /** Texts cut to 300 characters; `truncated: true` beside one marks it. */
  shortens?: readonly string[];
  /** Properties that are not in the schema that MCP lists, because only a rare form of the answer has them. */
  undescribed?: readonly string[];
};

const SHORT_TEXT = 300;

/** Of `asOf`, a summary keeps what an agent compares: the block's number and time, and whether the answer is stale. */
const ALWAYS_OMITTED = ["asOf.blockHash", "asOf.timestampMs", "asOf.computedAt", "asOf.confirmedAt", "asOf.source"];

/** The summary of an answer. */
export function summarize(value: unknown, { omits = [], shortens = [] }: Summarized): unknown {
  return reduce(value, { omits: [...ALWAYS_OMITTED, ...omits], shortens });
}

function reduce(value: unknown, { omits, shortens }: Required<Pick<Summarized, "omits" | "shortens">>): unknown {
  if (Array.isArray(value)) return value.map((item) => reduce(item, { omits, shortens }));
  if (typeof value !== "object" || value === null) return value;
  let wasCut = false;
  const cut = (text: string) => {
    wasCut ||= text.length > SHORT_TEXT;
    return text.slice(0, SHORT_TEXT).toWellFormed();
  };
  const entries = Object.entries(value)
    .filter(([key]) => !omits.includes(key))
    .map(([key, inner]) => {
      if (shortens.includes(key) && typeof inner === "string") return [key, cut(inner)];
      return [key, reduce(inner, { omits: pathsInside(key, omits), shortens: pathsInside(key, shortens) })];
    });
  return { ...Object.fromEntries(entries), ...(wasCut ? { truncated: true } : {}) };
}

/** The schema of an answer's summary. A full answer fits it too, since it allows further properties. */
export function summarizeSchema(schema: TSchema, { omits = [], undescribed = [] }: Summarized): TSchema {
  return omitFromSchema(schema, [...ALWAYS_OMITTED, ...omits, ...undescribed]);
}

function omitFromSchema(schema: TSchema, paths: readonly string[]): TSchema {
  if (paths.length === 0) return schema;
  if (Array.isArray(schema.anyOf))
    return { ...schema, anyOf: schema.anyOf.map((form: TSchema) => omitFromSchema(form, paths)) };
  if (schema.items !== undefined) return { ...schema, items: omitFromSchema(schema.items, paths) };
  if (schema.properties === undefined) return schema;
  const properties: [string, TSchema][] = Object.entries(schema.properties);
  const kept = properties.filter(([key]) => !paths.includes(key));
  return {
    ...schema,
    properties: Object.fromEntries(kept.map(([key, each]) => [key, omitFromSchema(each, pathsInside(key, paths))])),
    required: (schema.required ?? []).filter((key: string) => !paths.includes(key)),
  };
}

/** Whether the path leads to a property of the schema, in any of its forms. */
export function hasProperty(schema: TSchema, path: string): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some((form: TSchema) => hasProperty(form, path));
  if (schema.items !== undefined) return hasProperty(schema.items, path);
  const [name = "", ...rest] = path.split(".");
  const property: TSchema | undefined = schema.properties?.[name];
  if (property === undefined) return false;
  return rest.length === 0 || hasProperty(property, rest.join("."));
}

function pathsInside(key: string, paths: readonly string[]): string[] {
  const prefix = `${key}.`;
  return paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
