import type { Operation, Runnable, Toolset } from "../../operation/defineOperation";
import { listChains } from "./listChains";

/** What MCP shows of an operation, or of a tool that is none. */
export type Tool = Runnable &
  Pick<Operation, "summary" | "chainScoped" | "bucket" | "mcpBucket" | "annotations"> & {
    /** Null: in every set. */
    toolsets: readonly Toolset[] | null;
  };

/** All tools, in the order of the operations. */
export function createTools(operations: readonly Operation[]): readonly Tool[] {
  const offered = operations.map((operation) => ({ ...operation, toolsets: setsOf(operation) }));
  return [listChains, ...offered.filter(({ toolsets }) => toolsets.length > 0)];
}

function setsOf({ toolsets, bucket }: Operation): readonly Toolset[] {
  return toolsets ?? [bucket === "history" ? "history" : "read"];
}
