import fc from "fast-check";
import type { JsonSchema } from "./readDocument";

/** Any JSON value that fits a schema of the document's inputs; those have no references. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, pattern, maxLength, minimum, maximum, properties, required, items, anyOf } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(arbitraryOf));
  if ("const" in schema) return fc.constant(schema.const);
  if (type === "string" && typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  if (type === "string") {
    return fc.string({ unit: "binary", maxLength: typeof maxLength === "number" ? Math.min(maxLength, 300) : 300 });
  }
  if (type === "integer") {
    const min = typeof minimum === "number" ? minimum : -(2 ** 31);
    return fc.integer({ min, max: typeof maximum === "number" ? maximum : Math.max(min, 2 ** 31) });
  }
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  // Sub-schemas of a schema are schemas.
  if (type === "array") return fc.array(arbitraryOf(items as JsonSchema), { maxLength: 5 });
  if (type === "object") {
    const entries = Object.entries(properties as Record<string, JsonSchema>);
    const requiredKeys = Array.isArray(required) ? required : [];
    return fc.record(Object.fromEntries(entries.map(([key, each]) => [key, arbitraryOf(each)])), { requiredKeys });
  }
  // Anything is accepted.
  if (Object.keys(schema).every((key) => key === "description")) return fc.jsonValue({ maxDepth: 2 });
  throw new Error(`the document has an input schema that is not known here: ${JSON.stringify(schema)}`);
}

/** Values that mostly do not fit, some of them by little: wrong types, bounds, long and hostile text. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom<unknown>(
    -1,
    0,
    1.5,
    2 ** 53,
    1e308,
    null,
    true,
    [],
    {},
    "",
    "0",
    "-0",
    "0x",
    "1e3",
    " 1",
    "１",
    "NaN",
    "true",
    "TRUE",
    `0x${"0".repeat(39)}`,
    `0x${"g".repeat(40)}`,
    `0x${"0".repeat(65)}`,
    "2026-02-30",
    "9".repeat(400),
    "\u0000",
    "\u202e",
    "\ud800",
    "%00",
    "../..",
    "' or 1=1 --",
    "<script>",
    "__proto__",
    "a".repeat(5_000),
  ),
);
