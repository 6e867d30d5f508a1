import type { AllowedCounts } from "./findBlockCounts";

/**
 * Numbers that count blocks because something outside of this service does, or because they bound memory or a page, with the reason.
 * None of them is a time in disguise.
 */
export const allowedBlockCounts: AllowedCounts = {
  "apps/api/src/operations/subscriptions/answerFromEvents.ts INDEX_LAG_BLOCKS":
    "a rule of nodes: a full node keeps the states of its last 128 blocks, whatever their interval",
  "apps/worker/src/indexer/catchUp.ts MOST_BLOCKS":
    "bounds a page of eth_getLogs far above every provider's cap, which is learned",
  "apps/worker/src/workOnChain.ts FIRST_RANGE": "the first guess of a provider's cap, which is learned",
  "packages/chain/src/client/createBlockJudge.ts REMEMBERED":
    "bounds memory; a block that is forgotten is compared with the highest alone",
  "packages/chain/src/simulate/simulateCalls.ts SIMULATED_BLOCKS_LIMIT":
    "a rule of nodes: geth refuses more simulated blocks in one request (execution-apis, -38026)",
  "packages/chain/src/walk/createCoverageReader.ts MOST_KEPT":
    "bounds memory: walks of this number of blocks are kept for other requests",
  "packages/config/src/reportUnknownSettings.ts FINALITY_BLOCKS":
    "a setting that is refused, with the name of its successor",
};
