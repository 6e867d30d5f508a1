import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import { readTable } from "./readTable";

/** Which of `tokens` the protocol has paused. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readPausedTokens(
  client: ChainClient,
  { contract, tokens, block }: { contract: Address; tokens: readonly Address[]; block: ChainBlock },
): Promise<Address[]> {
  const rows = await readTable(client, tokens, (token) => [protocolRead(contract, "approvedERC20", [token])], block);
  return rows.flatMap(({ key, results: [approval] }) => (expectValue(approval, "approvedERC20")[2] ? [key] : []));
}
