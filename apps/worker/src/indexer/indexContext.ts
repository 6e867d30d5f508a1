import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { Rpc } from "@dueday/chain/client/createRpc";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import type { IndexedToken, SubscriptionTerms } from "@dueday/db/index/indexedLog";
import type { Hex } from "viem";
import type { Progress } from "./progress";

/** What the indexer of one chain works with. */
export type IndexContext = {
  chain: Pick<ChainConfig, "chainId" | "contract" | "startBlock" | "finalityBlocks">;
  chainData: ChainData;
  database: Database;
  logger: Logger;
  /** Milliseconds since 1970 of the machine's clock. */
  clock: () => number;
  progress: Progress;
};

/** What the indexer asks a node. Everything throws ServiceError, or RpcRefusal where the node refuses the very request. */
export type ChainData = {
  rpc: Rpc;
  /** What the contract's record holds of each id after `block`; an id it does not know is absent. */
  readTerms(ids: readonly Hex[], block: ChainBlock): Promise<Map<Hex, Pick<SubscriptionTerms, "frequency" | "dueDay">>>;
  readTokens(tokens: readonly Hex[], block: ChainBlock): Promise<IndexedToken[]>;
};
