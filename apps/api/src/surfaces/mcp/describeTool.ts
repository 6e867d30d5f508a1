import { Untrusted } from "@dueday/core/schema";
import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import type { InputSchema } from "../../operation/defineOperation";
import { summarizeSchema } from "../../operation/summarize";
import { agentDefaults } from "./agentDefaults";
import { compactInput, compactOutput } from "./compactSchema";
import type { JsonSchema } from "./shareParts";
import type { Tool } from "./tool";

/**
 * Arguments that no operation declares: REST has them in the query of every chain-scoped path. A chain id may be a number as well, which
 * is not listed: its bounds would cost 18 tokens in each tool.
 */
const ofChain: Record<string, JsonSchema> = {
  chainId: { type: "string", description: "Of list_chains" },
  minBlock: { type: "string", description: "Not older than this block" },
};

/** Short descriptions of arguments that many tools have: each word is sent dozens of times. The server's instructions have the rest. */
const shared: Readonly<Record<string, string>> = {
  detail: "full: every field",
  first: "Most entries",
  skip: "Entries passed over",
  after: "nextAfter of the page before",
  atBlock: "asOf.blockNumber of the first page",
  readinessOnly: "Check, prepare nothing",
  simulateFromAddress: "Broadcaster; changes gas estimates only",
};

/** A tool as tools/list shows it. */
export function describeTool(tool: Tool, outputSchemas: boolean): ToolDescription {
  const input = compactInput(worded(tool), tool.chainScoped ? ofChain : {});
  return {
    name: tool.name,
    title: titleOf(tool.name),
    description: [tool.forAgents ?? tool.summary, untrustedText(tool.output)].filter((part) => part !== "").join(". "),
    inputSchema: { ...input, type: "object" },
    ...(outputSchemas && tool.answersLike === undefined
      ? { outputSchema: { ...compactOutput(summaryOf(tool)), type: "object" } }
      : {}),
    annotations: hintsOf(tool),
  };
}

/** An input with the short descriptions, and the defaults that an agent gets. The default of detail is in the instructions, once for all tools. */
function worded({ input }: Tool): InputSchema {
  const defaults: Record<string, unknown> = agentDefaults({ input });
  const properties = Object.entries(input.properties).map(([name, schema]) => [
    name,
    {
      ...schema,
      ...(name in shared ? { description: shared[name] } : {}),
      default: name === "detail" ? undefined : (defaults[name] ?? schema.default),
    },
  ]);
  const required: string[] = input.required ?? [];
  return {
    ...input,
    properties: Object.fromEntries(properties),
    required: required.filter((name) => name !== "detail"),
  };
}

/** The schema of what an agent gets by default. A full answer fits it too, because it allows further properties. */
function summaryOf({ output, summarized }: Tool): TSchema {
  return summarized === undefined ? output : summarizeSchema(output, summarized);
}

/** `get_fee_balance` -> `Get fee balance`. */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Without the hints that have no effect: idempotent and destructive have a meaning only for tools that change something, and open world is MCP's default. */
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
    if (Untrusted in schema) names.add(name);
    for (const [key, property] of Object.entries<TSchema>(schema.properties ?? {})) walk(property, key);
    for (const member of schema.anyOf ?? []) walk(member, name);
    if (schema.items !== undefined) walk(schema.items, name);
  };
  walk(output, "");
  return names.size === 0 ? "" : `Untrusted text: ${[...names].join(", ")}`;
}
