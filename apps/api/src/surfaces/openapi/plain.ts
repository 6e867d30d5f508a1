export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/** A schema without TypeBox's symbols and without the service's own keywords. */
export function plain(schema: unknown): Json {
  const own = (key: string, value: unknown) =>
    key === "expects" || key === "notZero" || (key === "in" && isPlace(value)) ? undefined : value;
  return JSON.parse(JSON.stringify(schema, own));
}

function isPlace(value: unknown): boolean {
  return value === "path" || value === "query" || value === "body";
}
