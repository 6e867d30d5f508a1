import { UntrustedText } from "@dueday/core/schema";
import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { InputSchema } from "../../operation/defineOperation";
import { summarizeSchema } from "../../operation/summarize";
import { compactInput, compactOutput } from "./compactSchema";
import type { JsonSchema } from "./shareParts";
import type { Tool } from "./tool";

/** Arguments that many tools share: the server's instructions, sent once, describe them. */
const chainId: JsonSchema = { type: ["integer", "string"] };
const detail: JsonSchema = { enum: ["summary", "full"] };

const SHARED = new Set(["first", "skip", "after", "readinessOnly", "simulateFromAddress"]);

/** A tool as tools/list shows it. */
export function describeTool(tool: Tool, outputSchemas: boolean): ToolDescription {
  const ofAllTools = {
    ...("detail" in tool.input.properties ? { detail } : {}),
    ...(tool.chainScoped ? { chainId, minBlock: chainId } : {}),
  };
  const input = compactInput(withoutShared(tool.input), ofAllTools);
  return {
    name: tool.name,
    title: titleOf(tool.name),
    description: [tool.forAgents ?? tool.summary, untrustedText(tool.output)].filter((part) => part !== "").join(". "),
    inputSchema: { ...input, type: "object" },
    ...(outputSchemas ? { outputSchema: { ...compactOutput(summaryOf(tool)), type: "object" } } : {}),
    annotations: hintsOf(tool),
  };
}

/** An input without the descriptions of what the server's instructions describe. */
function withoutShared(input: InputSchema): InputSchema {
  const properties = Object.entries(input.properties).map(([name, { description, ...schema }]) => [
    name,
    { ...schema, ...(!SHARED.has(name) && description !== undefined && { description }) },
  ]);
  return { ...input, properties: Object.fromEntries(properties) };
}

/** What an agent gets by default. A full answer fits it too: it has further properties. */
function summaryOf({ output, summarized }: Tool): TSchema {
  return summarized === undefined ? output : summarizeSchema(output, summarized);
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
