/** A JSON Schema as MCP sends it. */
export type JsonSchema = { [keyword: string]: Json };
export type Json = string | number | boolean | null | Json[] | JsonSchema;

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asSchema(value: Json | undefined): JsonSchema {
  return isSchema(value) ? value : {};
}
