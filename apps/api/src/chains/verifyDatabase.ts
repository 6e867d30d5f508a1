import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import { claimChainIdentity, ForeignDatabaseError } from "@dueday/db/queries/claimChainIdentity";
import type { SnapshotCache } from "../snapshots/snapshotCache";

export type VerifyDatabaseParameters = {
  chain: ChainConfig;
  client: ChainClient;
  snapshots: SnapshotCache;
  database: Database;
  logger: Logger;
};

/**
 * Checks that the snapshots in the database belong to this chain: two chains can share an id and a contract address, as two runs of a
 * devnet do. Snapshots of another chain are never served; requests are then answered live.
 *
 * @returns False when the node or the database did not answer.
 */
export async function verifyDatabase(parameters: VerifyDatabaseParameters): Promise<boolean> {
  const { chain, client, snapshots, database, logger } = parameters;
  const { chainId, contract } = chain;
  try {
    const genesis = parseBlock(await client.rpc("eth_getBlockByNumber", ["0x0", false]));
    await claimChainIdentity(database, { chainId, contract, genesisHash: genesis.hash });
    return true;
  } catch (error) {
    if (!(error instanceof ForeignDatabaseError)) return false;
    logger.error({ chainId }, error.message);
    snapshots.refuse(error.message);
    return true;
  }
}
