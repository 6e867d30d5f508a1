type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const COMPONENT = /^#\/components\/(\w+)\/(.+)$/;

/**
 * An OpenAPI document with its components in the places that refer to them, as a reader of the document sees it.
 *
 * @throws Error for a reference that leads nowhere
 */
export function resolveReferences(document: { components: object }): unknown {
  const components: Record<string, Record<string, Json>> = Object(document.components);
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...own } = value;
    if (typeof $ref !== "string") return mapValues(value, resolve);
    const [, kind = "", name = ""] = COMPONENT.exec($ref) ?? [];
    const target = components[kind]?.[name];
    if (target === undefined) throw new Error(`${$ref} is not in the document`);
    return { ...Object(resolve(target)), ...own };
  };
  return resolve(JSON.parse(JSON.stringify(document)));
}

function mapValues(record: { [key: string]: Json }, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
