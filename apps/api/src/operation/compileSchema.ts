import { FormatRegistry, Kind, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

const DATE_TIME = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
FormatRegistry.Set("date-time", (text) => DATE_TIME.test(text));

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** The compiled check of a schema, compiled at its first use. It rejects keys that the schema does not name, at any depth. */
export function compileSchema(schema: TSchema): TypeCheck<TSchema> {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const check = TypeCompiler.Compile(closeObjects(schema));
  compiled.set(schema, check);
  return check;
}

/** A copy of the schema in which every object is closed; TypeBox objects are open by default. */
export function closeObjects(schema: TSchema): TSchema {
  const copy: TSchema = { ...schema };
  if (schema[Kind] === "Object") {
    copy.additionalProperties ??= false;
    copy.properties = Object.fromEntries(
      Object.entries<TSchema>(schema.properties).map(([key, property]) => [key, closeObjects(property)]),
    );
  }
  if (schema[Kind] === "Array") copy.items = closeObjects(schema.items);
  if (schema[Kind] === "Union") copy.anyOf = schema.anyOf.map(closeObjects);
  return copy;
}
