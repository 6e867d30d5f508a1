import type { TSchema } from "@sinclair/typebox";
import { eventsByType } from "./documentedSchemas";
import { glossary } from "./glossary";
import { type Json, plain } from "./plain";

/** A schema as JSON, with references to components. */
export type ToJson = (schema: unknown) => Json;

/**
 * Makes the components of a document: each named schema once. Other named schemas inside it become references, which can have another
 * description beside them. A schema with two names gets the first.
 */
export function createComponents(named: Readonly<Record<string, TSchema>>): {
  toJson: ToJson;
  components: Record<string, Json>;
} {
  const names = new Map<string, { name: string; schema: Json }>();
  for (const [name, schema] of Object.entries(named)) {
    const json = plain(schema);
    const text = JSON.stringify(split(json).form);
    if (!names.has(text)) names.set(text, { name, schema: json });
  }
  const replace = (value: Json, own?: string): Json => {
    if (Array.isArray(value)) return value.map((each) => replace(each));
    if (typeof value !== "object" || value === null) return value;
    const { form, notes } = split(value);
    const found = names.get(JSON.stringify(form));
    if (found !== undefined && found.name !== own) {
      const isSame = JSON.stringify(notes) === JSON.stringify(split(found.schema).notes);
      return { $ref: `#/components/schemas/${found.name}`, ...(isSame ? {} : notes) };
    }
    return described(
      Object.fromEntries(Object.entries(value).map(([key, part]) => [key, part === undefined ? null : replace(part)])),
    );
  };
  const components = Object.fromEntries(
    [...names.values()].map(({ name, schema }) => [name, discriminated(replace(schema, name))]),
  );
  return { toJson: (schema) => replace(plain(schema)), components };
}

/** What a schema accepts, and what is noted beside it: the notes may differ where a component is referred to. */
function split(schema: Json): { form: Json; notes: { [key: string]: Json } } {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return { form: schema, notes: {} };
  const { description, deprecated, ...form } = schema;
  return {
    form,
    notes: {
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
    },
  };
}

/** Properties without a description get the one that the glossary has for their name. */
export function described(schema: { [key: string]: Json }): Json {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return schema;
  const entries = Object.entries(properties).map(([name, part]) => {
    const description = glossary[name];
    const isPlain = typeof part === "object" && part !== null && !Array.isArray(part) && !("description" in part);
    return [name, isPlain && description !== undefined ? { ...part, description } : part];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}

/** The union of all domain events has `type` as its discriminator. */
function discriminated(schema: Json): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || !Array.isArray(schema.anyOf))
    return schema;
  const { anyOf, ...others } = schema;
  const isReference = (each: Json) => typeof each === "object" && each !== null && "$ref" in each;
  if (anyOf.length < 2 || !anyOf.every(isReference)) return schema;
  const byName = new Map(Object.entries(eventsByType));
  const mapping = Object.fromEntries(
    anyOf.flatMap((each) => {
      const reference = String(Object(each).$ref);
      const event = byName.get(reference.split("/").at(-1) ?? "");
      return event === undefined ? [] : [[String(event.properties.type.const), reference]];
    }),
  );
  if (Object.keys(mapping).length !== anyOf.length) return schema;
  return { ...others, oneOf: anyOf, discriminator: { propertyName: "type", mapping } };
}
