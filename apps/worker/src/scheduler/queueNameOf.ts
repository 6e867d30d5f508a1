import type { ChainConfig } from "@dueday/config/chains";

/** One queue for each chain: order and limits are those of a queue. */
export function queueNameOf({ chainId, contract }: Pick<ChainConfig, "chainId" | "contract">): string {
  return `dueday-${chainId}-${contract}`;
}
