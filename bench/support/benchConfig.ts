import { type Config, parseConfig } from "@dueday/config/parseConfig";
import { UNLIMITED } from "./benchDatabase";

export type BenchChain = { chainId: number; rpcUrl: string; contract: string };

/**
 * The settings of a service on one chain, on any free port, without limits.
 *
 * @param more further settings, which override the defaults
 */
export function benchConfig({ chainId, rpcUrl, contract }: BenchChain, more: Record<string, string> = {}): Config {
  return parseConfig({
    PORT: "0",
    CHAINS: String(chainId),
    [`CHAIN_${chainId}_RPC_URLS`]: rpcUrl,
    [`CHAIN_${chainId}_CONTRACT`]: contract,
    ...UNLIMITED,
    ...more,
  });
}
