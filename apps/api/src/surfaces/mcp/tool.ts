import { Type } from "@sinclair/typebox";
import type { CheckedInput, Operation, Runnable, Toolset } from "../../operation/defineOperation";
import { ChainEntry, createCatalog } from "../../operations/service/catalog";
import { defaultChainOf } from "./selectChain";

/** An operation as MCP offers it, or a tool that is not an operation. */
export type Tool = Runnable &
  Pick<Operation, "summary" | "forAgents" | "answersLike" | "chainScoped" | "bucket" | "mcpBucket" | "annotations"> & {
    /** Null: in every set. */
    toolsets: readonly Toolset[] | null;
  };

/** All tools, in the order of the operations. */
export function createTools(operations: readonly Operation[]): readonly Tool[] {
  const offered = operations.map((operation) => ({
    ...operation,
    ...nameAccount(operation),
    toolsets: setsOf(operation),
  }));
  return [listChains, ...offered.filter(({ toolsets }) => toolsets.length > 0)];
}

/** Names the argument for an account `account` in every tool: older paths of REST name it `address`. */
function nameAccount({
  input,
  handler,
  snapshot,
}: Operation): Partial<Pick<Operation, "input" | "handler" | "snapshot">> {
  if (!("address" in input.properties)) return {};
  const renamed = (name: string) => (name === "address" ? "account" : name);
  const properties = Object.entries(input.properties).map(([name, schema]) => [renamed(name), schema]);
  const required: string[] = input.required ?? [];
  // The operation's own schema accepts these values under its own name.
  const toOwn = ({ account, ...others }: CheckedInput) => ({ ...others, address: account }) as CheckedInput;
  return {
    input: { ...input, properties: Object.fromEntries(properties), required: required.map(renamed) },
    handler: (context, given) => handler(context, toOwn(given)),
    snapshot: (context, given) => snapshot(context, toOwn(given)),
  };
}

function setsOf({ toolsets, bucket }: Operation): readonly Toolset[] {
  return toolsets ?? [bucket === "history" ? "history" : "read"];
}

/** The only tool that is not an operation: REST lists the chains in its catalog. */
const listChains: Tool = {
  name: "list_chains",
  summary: "Chains served here; chainId is the default chain of these tools",
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
