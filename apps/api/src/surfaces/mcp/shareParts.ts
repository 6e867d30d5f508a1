/** A JSON Schema as MCP sends it. */
export type JsonSchema = { [keyword: string]: Json };
export type Json = string | number | boolean | null | Json[] | JsonSchema;

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asSchema(value: Json | undefined): JsonSchema {
  return isSchema(value) ? value : {};
}

/** Below this length a reference is no shorter than the part. */
const SHORTEST_SHARED = 60;

/** Moves the parts of a schema that occur more than once to its $defs. */
export function shareParts(root: JsonSchema): JsonSchema {
  const names = new Map([...repeatedParts(root)].map((text, index) => [text, nameAt(index)]));
  if (names.size === 0) return root;
  const refer = (part: JsonSchema): JsonSchema => {
    const name = names.get(JSON.stringify(part));
    return name === undefined ? mapParts(part, refer) : { $ref: `#/$defs/${name}` };
  };
  const definitions = [...names].map(([text, name]) => [name, mapParts(asSchema(JSON.parse(text)), refer)]);
  return { ...mapParts(root, refer), $defs: Object.fromEntries(definitions) };
}

/** JSON texts of the parts that occur more than once and are long enough to be shared. */
function repeatedParts(root: JsonSchema): Set<string> {
  const met = new Set<string>();
  const repeated = new Set<string>();
  const visit = (part: JsonSchema): JsonSchema => {
    const text = JSON.stringify(part);
    if (!met.has(text)) mapParts(part, visit);
    // The parts inside a repeated part are not visited again: they are written once, with it.
    else if (text.length > SHORTEST_SHARED) repeated.add(text);
    met.add(text);
    return part;
  };
  mapParts(root, visit);
  return repeated;
}

/** A schema with each of the schemas directly inside it replaced. */
function mapParts(schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema {
  const one = (part: Json) => (isSchema(part) ? replace(part) : part);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === "items") return [keyword, one(value)];
      if (keyword === "anyOf" && Array.isArray(value)) return [keyword, value.map(one)];
      if ((keyword !== "properties" && keyword !== "patternProperties") || !isSchema(value)) return [keyword, value];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, one(part)]))];
    }),
  );
}

/** A to Z, then 10, 11 and on. */
function nameAt(index: number): string {
  return (index + 10).toString(36).toUpperCase();
}
