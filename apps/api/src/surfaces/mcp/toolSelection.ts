import { validationError } from "@dueday/core/errors";
import { type Toolset, toolsets } from "../../operation/defineOperation";
import type { Tool } from "./tool";

/** What an agent takes of the tools: `?toolsets=read,keeper&schemas=input`. */
export type ToolSelection = { sets: readonly Toolset[]; outputSchemas: boolean };

/** A `chainId` here is judged as on any path and selects nothing: tools take theirs as an argument. */
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
    if (set === undefined) throw validationError("toolsets", "UNKNOWN_TOOLSET", `must be of ${toolsets.join(", ")}`);
    return set;
  });
  const schemas = query.get("schemas");
  if (schemas !== null && schemas !== "input")
    throw validationError("schemas", "MALFORMED", "must be input, or left away for output schemas as well");
  return { sets: sets.length === 0 ? toolsets : [...new Set(sets)], outputSchemas: schemas === null };
}

export function isSelected(tool: Tool, { sets }: ToolSelection): boolean {
  return tool.toolsets === null || tool.toolsets.some((set) => sets.includes(set));
}
