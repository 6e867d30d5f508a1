import type { Operation } from "@dueday/api/operation/defineOperation";

/** The defaults of REST that differ from those of MCP: an input that contains them has the same answer over both. */
export function restDefaults({ input }: Operation): Record<string, unknown> {
  const { detail, first } = input.properties;
  return {
    ...(detail !== undefined && { detail: "full" }),
    ...(first?.default !== undefined && { first: first.default }),
  };
}
