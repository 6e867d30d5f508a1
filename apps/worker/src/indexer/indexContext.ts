import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import type { ChainData } from "./createChainData";
import type { Progress } from "./createProgress";

/** What the indexer of one chain works with. */
export type IndexContext = {
  chain: Pick<ChainConfig, "chainId" | "contract" | "startBlock" | "finalityBlocks">;
  chainData: ChainData;
  database: Database;
  logger: Logger;
  /** The machine's clock in milliseconds since 1970. */
  clock: () => number;
  progress: Progress;
};
