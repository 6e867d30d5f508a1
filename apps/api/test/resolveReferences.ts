type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Parts of a document that are referred to from operations. Schemas stay references: what reads them can follow one. */
const SHARED = /^#\/components\/(parameters|responses|examples)\/(.+)$/;

/**
 * An OpenAPI document with its shared parameters, responses and examples in the places that refer to them, as a reader of the document sees
 * it. @throws Error for a reference that leads nowhere
 */
export function resolveReferences(document: { components: object }): unknown {
  const components: Record<string, Record<string, Json>> = Object(document.components);
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const [, kind = "", name = ""] = SHARED.exec(String(value.$ref)) ?? [];
    if (name === "") return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
    const target = components[kind]?.[name];
    if (target === undefined) throw new Error(`${value.$ref} is not in the document`);
    return resolve(target);
  };
  return resolve(JSON.parse(JSON.stringify(document)));
}
