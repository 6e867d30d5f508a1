import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { operations } from "../../operations/operations";
import { describeTool } from "./describeTool";
import { createTools } from "./tool";
import { isSelected, readToolSelection } from "./toolbox";

const tools = createTools(operations);

/** Tokens of what tools/list sends, with all that is around the schemas. */
function measure(query: string): { tools: number; tokens: number } {
  const selection = readToolSelection(new URLSearchParams(query));
  const listed = tools.filter((tool) => isSelected(tool, selection));
  const shown = listed.map((tool) => describeTool(tool, selection.outputSchemas));
  return { tools: listed.length, tokens: countTokens(JSON.stringify(shown)) };
}

const report = (query: string, { tools: count, tokens }: { tools: number; tokens: number }) =>
  console.log(`/mcp?${query}: ${count} tools, ${tokens} tokens, ${Math.round(tokens / count)} a tool`);

test("the tool list takes at most 500 tokens a tool (o200k)", () => {
  const size = measure("");
  report("", size);
  expect(size.tokens / size.tools).toBeLessThanOrEqual(500);
});

test.each(["keeper", "subscriber", "provider"])("the inputs of the set %s take at most 4,000 tokens (o200k)", (set) => {
  const query = `toolsets=${set}&schemas=input`;
  const size = measure(query);
  report(query, size);
  expect(size.tokens).toBeLessThanOrEqual(4_000);
});

test("every object, list and value in an output schema has a description", () => {
  for (const tool of tools.filter(({ answersLike }) => answersLike === undefined))
    expect(untypedParts(describeTool(tool, true).outputSchema, tool.name)).toEqual([]);
});

/** Paths of sub-schemas that would take anything, or any object. */
function untypedParts(schema: unknown, path: string): string[] {
  const part: Record<string, unknown> = Object(schema);
  const inside = ["properties", "patternProperties", "$defs"].flatMap((keyword) =>
    Object.entries(Object(part[keyword])).flatMap(([key, each]) => untypedParts(each, `${path}/${key}`)),
  );
  const items = part.items === undefined ? [] : untypedParts(part.items, `${path}/items`);
  const members = Array.isArray(part.anyOf) && part.type === undefined ? part.anyOf : [];
  const found = [...inside, ...items, ...members.flatMap((each, index) => untypedParts(each, `${path}/${index}`))];
  return isTyped(part) ? found : [path, ...found];
}

function isTyped({
  type,
  properties,
  patternProperties,
  items,
  anyOf,
  enum: values,
  const: value,
  $ref,
}: Record<string, unknown>): boolean {
  if (type === "object") return Object.keys({ ...Object(properties), ...Object(patternProperties) }).length > 0;
  if (type === "array") return items !== undefined;
  return [type, anyOf, values, value, $ref].some((keyword) => keyword !== undefined);
}
