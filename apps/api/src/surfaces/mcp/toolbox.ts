import type { Tool as ToolDescription } from "@modelcontextprotocol/sdk/types.js";
import { describeTool } from "./describeTool";
import type { Tool } from "./tool";
import { isSelected, type ToolSelection } from "./toolSelection";

/** The tools that one address offers, and how it shows them. */
export type Toolbox = { tools: ReadonlyMap<string, Tool>; listing: readonly ToolDescription[] };

/** Makes each selection's toolbox when it is first asked for. */
export function createToolboxes(all: readonly Tool[]): (selection: ToolSelection) => Toolbox {
  const made = new Map<string, Toolbox>();
  return (selection) => {
    const tools = all.filter((tool) => isSelected(tool, selection));
    const key = [selection.outputSchemas, ...tools.map(({ name }) => name)].join();
    const known = made.get(key);
    if (known !== undefined) return known;
    const toolbox = {
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      listing: tools.map((tool) => describeTool(tool, selection.outputSchemas)),
    };
    made.set(key, toolbox);
    return toolbox;
  };
}
