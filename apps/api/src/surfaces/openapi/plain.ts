export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** A schema without TypeBox's symbols and without the service's own keywords; an integer has the format that holds it. */
export function plain(schema: unknown): Json {
  const own = (key: string, value: unknown) =>
    key === "expects" || key === "notZero" || (key === "in" && isPlace(value)) ? undefined : withFormat(value);
  return JSON.parse(JSON.stringify(schema, own));
}

const MOST_INT32 = 2 ** 31 - 1;

function withFormat(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("maximum" in value && "type" in value)) return value;
  if (value.type !== "integer" || typeof value.maximum !== "number") return value;
  return { ...value, format: value.maximum > MOST_INT32 ? "int64" : "int32" };
}

function isPlace(value: unknown): boolean {
  return value === "path" || value === "query" || value === "body";
}
