import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { protocolAbi } from "@dueday/core/abi/protocol";
import type { Address, GetContractEventsReturnType } from "viem";
import { isOfTransport } from "./isOfTransport";

export type CallerLogs = GetContractEventsReturnType<typeof protocolAbi, "CallerLog", true>;

export type CallerLogsRange = {
  fromBlock: bigint;
  toBlock: bigint;
  /** The logs of one caller; default: all. */
  caller?: Address;
};

export type CallerLogsReader = (range: CallerLogsRange) => Promise<CallerLogs | null>;

/** The most requests for one range. Some providers allow 10 blocks in a request, others all. */
const MOST_REQUESTS = 64;

/**
 * Reads the events of remit(), in as many requests as the node's cap for ranges needs. The cap is learned from refusals. Null where
 * these would be too many requests, or the node does not answer.
 */
export function createCallerLogsReader(client: ChainClient, contract: Address): CallerLogsReader {
  let longest: bigint | null = null;

  return async ({ fromBlock, toBlock, caller }) => {
    const logs: CallerLogs = [];
    let from = fromBlock;
    for (let requests = 0; from <= toBlock; requests++) {
      const rest = toBlock - from + 1n;
      const length = longest === null || rest < longest ? rest : longest;
      if (BigInt(MOST_REQUESTS - requests) * length < rest) return null;
      try {
        const page = await client.getContractEvents({
          address: contract,
          abi: protocolAbi,
          eventName: "CallerLog",
          strict: true,
          fromBlock: from,
          toBlock: from + length - 1n,
          ...(caller !== undefined && { args: { caller } }),
        });
        logs.push(...page);
        from += length;
      } catch (error) {
        if (isOfTransport(error) || length === 1n) return null;
        longest = (length + 1n) / 2n;
      }
    }
    return logs;
  };
}
