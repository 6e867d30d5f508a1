import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readStanding } from "@dueday/chain/permits/readStanding";
import { expectToken } from "@dueday/chain/reads/expectToken";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import type { PermitView } from "@dueday/core/schemas/permit";
import { endPermits, type StoredPermit } from "@dueday/db/permits/storePermit";
import type { Static } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { toPermitView } from "./permit";

export type CountingPermit = { permit: StoredPermit; view: Static<typeof PermitView>; tokenSymbol: string };

/**
 * Those of some stored permits that count at a block, each in the form in which answers show it. Permits that are over at that block are
 * marked as dropped, and no longer belong to any list; `over` is their number. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function countingPermits(
  { chain, database }: Pick<Context, "chain" | "database">,
  client: ChainClient,
  { permits, block }: { permits: readonly StoredPermit[]; block: ChainBlock },
): Promise<{ counting: CountingPermit[]; over: number }> {
  const { contract, chainId } = chain.config;
  const [standing, tokens] = await Promise.all([
    readStanding(client, { contract, permits, block }),
    readTokenInfos(client, { contract, tokens: permits.map(({ token }) => token), block }),
  ]);
  const over = standing.filter(({ isOver }) => isOver).map(({ permit }) => permit.id);
  await endPermits(database, over, "dropped");
  const counting = standing
    .filter(({ counts }) => counts)
    .map(({ permit }) => {
      const { decimals, symbol } = expectToken(tokens, permit.token);
      return { permit, view: toPermitView(permit, { chainId, decimals }), tokenSymbol: symbol };
    });
  return { counting, over: over.length };
}
