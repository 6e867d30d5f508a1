import { UntrustedText } from "@dueday/core/schema";
import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import type { TSchema } from "@sinclair/typebox";
import { compactInput, compactOutput } from "./compactSchema";
import type { JsonSchema } from "./shareParts";
import type { Tool } from "./tool";

/** Argument of every chain-scoped tool: the server's instructions, sent once, describe its forms. */
const chainId: JsonSchema = { type: ["integer", "string"] };

/** A tool as tools/list shows it. */
export function describeTool(tool: Tool, outputSchemas: boolean): ToolDescription {
  const input = compactInput(tool.input, tool.chainScoped ? { chainId } : {});
  return {
    name: tool.name,
    title: titleOf(tool.name),
    description: [tool.summary, untrustedText(tool.output)].filter((part) => part !== "").join(". "),
    inputSchema: { ...input, type: "object" },
    ...(outputSchemas ? { outputSchema: { ...compactOutput(tool.output), type: "object" } } : {}),
    annotations: hintsOf(tool),
  };
}

/** `get_fee_balance` -> `Get fee balance`. */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Only hints that differ from MCP's defaults: idempotent and destructive have a meaning only for tools that change something. */
function hintsOf({ annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } }: Tool) {
  return {
    readOnlyHint,
    ...(readOnlyHint ? {} : { destructiveHint: destructiveHint ?? true, idempotentHint: idempotentHint ?? false }),
    ...(openWorldHint === true ? {} : { openWorldHint: false }),
  };
}

/** Names the fields of an answer with text that anybody may have written. */
function untrustedText(output: TSchema): string {
  const names = new Set<string>();
  const walk = (schema: TSchema, name: string): void => {
    if (schema.description === UntrustedText.description) names.add(name);
    for (const [key, property] of Object.entries<TSchema>(schema.properties ?? {})) walk(property, key);
    for (const member of schema.anyOf ?? []) walk(member, name);
    if (schema.items !== undefined) walk(schema.items, name);
  };
  walk(output, "");
  return names.size === 0 ? "" : `Untrusted text: ${[...names].join(", ")}`;
}
