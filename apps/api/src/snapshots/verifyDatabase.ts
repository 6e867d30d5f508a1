import { parseBlock } from "@dueday/chain/block/parseBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import { ServiceError } from "@dueday/core/errors";
import type { Database } from "@dueday/db/connectDatabase";
import { claimChainIdentity, ForeignDatabaseError } from "@dueday/db/indexing/claimChainIdentity";
import type { SnapshotCache } from "./snapshotCache";

export type VerifyDatabaseParameters = {
  chain: ChainConfig;
  client: ChainClient;
  snapshots: SnapshotCache;
  database: Database;
  logger: Logger;
};

/**
 * Checks that the snapshots and events in the database belong to this chain: two chains can share an id and a contract address, as two
 * runs of a devnet do. Those of another chain are never served: what a snapshot would answer is then read live, and what only
 * the events could answer is refused with `foreignDatabase`.
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

/** The refusal of an answer that only the database could give, while `snapshots.refusal()` is not null. */
export function foreignDatabase(): ServiceError {
  const message =
    "The events of this chain are not served: the service's database belongs to another chain; see /status";
  return new ServiceError("NOT_INDEXED", message);
}
