import { Type } from "@sinclair/typebox";
import type { Operation, Runnable, Toolset } from "../../operation/defineOperation";
import { ChainEntry, createCatalog } from "../../operations/service/catalog";
import { defaultChainOf } from "./selectChain";

/** An operation as MCP offers it, or a tool that is not an operation. */
export type Tool = Runnable &
  Pick<Operation, "summary" | "forAgents" | "chainScoped" | "bucket" | "mcpBucket" | "annotations"> & {
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

/** The only tool that is not an operation: REST lists the chains in its catalog. */
const listChains: Tool = {
  name: "list_chains",
  summary: "Chains served here, and the default of these tools as chainId",
  chainScoped: false,
  bucket: "cheap",
  toolsets: null,
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: Type.Object({}),
  output: Type.Object({
    chainId: Type.Union([Type.Integer(), Type.Null()]),
    chains: Type.Array(ChainEntry),
  }),
  snapshot: () => null,
  async handler({ service }) {
    const chainId = defaultChainOf(service)?.config.chainId ?? null;
    const { chains } = createCatalog(service);
    // The catalog marks the default of REST, which does not apply to tools.
    return { chainId, chains: chains.map((chain) => ({ ...chain, default: chain.chainId === chainId })) };
  },
};
