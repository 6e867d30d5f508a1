import { asSchema, isSchema, type Json, type JsonSchema } from "./jsonSchema";

/** Below this length a reference is no shorter than the part. */
const SHORTEST_SHARED = 60;

/** Writes parts of a schema that occur more than once under its $defs. */
export function shareParts(root: JsonSchema): JsonSchema {
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
