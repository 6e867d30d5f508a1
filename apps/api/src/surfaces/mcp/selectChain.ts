import { DEFAULT_CHAIN_ID, parseChainId } from "@dueday/core/chains";
import { validationError } from "@dueday/core/errors";
import type { ServedChain } from "../../chains/servedChain";
import type { ServiceFacts } from "../../operation/context";

/** The chain of a tool call without `chainId`: 8453, or else the first that is open to MCP. DEFAULT_REST_CHAIN_ID does not apply. */
export function defaultChainOf({ chains }: Pick<ServiceFacts, "chains">): ServedChain | null {
  const open = [...chains.values()].filter(({ config }) => config.mcp);
  return open.find(({ config }) => config.chainId === DEFAULT_CHAIN_ID) ?? open[0] ?? null;
}

/**
 * The chain that a tool call selects.
 *
 * @param chainId a number, its decimal text, or the CAIP-2 form
 * @throws ServiceError VALIDATION_ERROR for a chain that is malformed, unknown, or closed to MCP
 */
export function selectChain(service: Pick<ServiceFacts, "chains">, chainId: unknown): ServedChain {
  const chain = chainId === undefined ? defaultChainOf(service) : service.chains.get(readChainId(chainId));
  if (chain?.config.mcp !== true)
    throw validationError("chainId", "UNKNOWN_CHAIN", "is not a chain served here; see list_chains");
  return chain;
}

function readChainId(value: unknown): number {
  const chainId = typeof value === "string" || typeof value === "number" ? parseChainId(String(value)) : null;
  if (chainId === null)
    throw validationError("chainId", "MALFORMED", 'must be a chain id such as 8453, "8453" or "eip155:8453"');
  return chainId;
}
