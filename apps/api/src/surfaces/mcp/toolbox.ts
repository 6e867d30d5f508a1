import { validationError } from "@dueday/core/errors";
import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import { type Toolset, toolsets } from "../../operation/defineOperation";
import { describeTool } from "./describeTool";
import type { Tool } from "./tool";

/** The tools that an agent selects by the query of /mcp: `?toolsets=read,keeper&schemas=input`. */
export type ToolSelection = { sets: readonly Toolset[]; outputSchemas: boolean };

/** `chainId` in the URL is ignored, whatever it is: each call has its own as an argument. */
const KNOWN = ["toolsets", "schemas", "chainId"];

/**
 * Reads the query of /mcp.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function readToolSelection(query: URLSearchParams): ToolSelection {
  const unknown = [...query.keys()].find((key) => !KNOWN.includes(key));
  if (unknown !== undefined)
    throw validationError(unknown, "UNKNOWN_KEY", "is not known here; remove it or correct its name");
  const names = query.getAll("toolsets").flatMap((text) => text.split(","));
  const sets = names.map((name) => {
    const set = toolsets.find((each) => each === name.trim());
    if (set === undefined)
      throw validationError("toolsets", "UNKNOWN_TOOLSET", `must be one of ${toolsets.join(", ")}`);
    return set;
  });
  const schemas = query.get("schemas");
  if (schemas !== null && schemas !== "input")
    throw validationError("schemas", "MALFORMED", "must be input; without it, tools have output schemas too");
  return { sets: sets.length === 0 ? toolsets : [...new Set(sets)], outputSchemas: schemas === null };
}

export function isSelected(tool: Tool, { sets }: ToolSelection): boolean {
  return tool.toolsets === null || tool.toolsets.some((set) => sets.includes(set));
}

/** The tools of one selection, by name, and as tools/list shows them: `listingBytes` is the size of that answer. */
export type Toolbox = {
  tools: ReadonlyMap<string, Tool>;
  listing: readonly ToolDescription[];
  listingBytes: number;
};

/** Makes each selection's toolbox at its first request. */
export function createToolboxes(all: readonly Tool[]): (selection: ToolSelection) => Toolbox {
  const made = new Map<string, Toolbox>();
  return (selection) => {
    const tools = all.filter((tool) => isSelected(tool, selection));
    const key = [selection.outputSchemas, ...tools.map(({ name }) => name)].join();
    const known = made.get(key);
    if (known !== undefined) return known;
    const listing = tools.map((tool) => describeTool(tool, selection.outputSchemas));
    const listingBytes = Buffer.byteLength(JSON.stringify({ tools: listing }));
    const toolbox = { tools: new Map(tools.map((tool) => [tool.name, tool])), listing, listingBytes };
    made.set(key, toolbox);
    return toolbox;
  };
}
