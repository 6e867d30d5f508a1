import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import type { Repaired } from "@dueday/db/indexing/repairLogs";
import type { RangeSize } from "../logs/createRangeSize";
import type { ChainData } from "./createChainData";
import type { FinalityReader } from "./createFinalityReader";
import type { Progress } from "./createProgress";

/** What the indexer of one chain works with. */
export type IndexContext = {
  chain: Pick<ChainConfig, "chainId" | "contract" | "startBlock">;
  chainData: ChainData;
  database: Database;
  logger: Logger;
  /** The machine's clock in milliseconds since 1970. */
  clock: () => number;
  progress: Progress;
  /** Which blocks are safe and final. */
  finality: FinalityReader;
  /** How many blocks the node near the head accepts in one request for logs. */
  logsSize: RangeSize;
  /** How many blocks near the head to store together. Kept between passes, so that the pass after a failed one begins with fewer. */
  newBlocks: RangeSize;
  /** Logs of blocks that are more than this number of days old write no events. */
  eventsRetentionDays: number;
  /** Called when stored logs differed from those of the chain and were repaired. */
  onRepair?: ((repaired: Repaired) => void) | undefined;
  /** Called when the index went back to a common block: snapshots of later blocks, also those that were read since the reorganisation, are orphaned. */
  onRewind?: (() => void) | undefined;
};
