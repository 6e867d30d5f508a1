import { Type } from "@sinclair/typebox";
import { ChainEntry } from "../../operations/service/catalog";
import { createCatalog } from "../catalog/catalog";
import { defaultChainOf } from "./selectChain";
import type { Tool } from "./tool";

/** The one tool that is no operation: REST tells the chains in its catalog. */
export const listChains: Tool = {
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
    return { chainId: defaultChainOf(service)?.config.chainId ?? null, chains: createCatalog(service).chains };
  },
};
