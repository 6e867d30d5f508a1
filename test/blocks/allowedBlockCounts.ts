import type { AllowedCounts } from "./findBlockCounts";

/** Numbers that count blocks because something outside of this service does, or because they bound memory, with the reason. */
export const allowedBlockCounts: AllowedCounts = {
  "apps/api/src/operations/subscriptions/answerFromEvents.ts INDEX_LAG_BLOCKS":
    "a rule of nodes: a full node keeps the states of its last 128 blocks, whatever their interval",
  "packages/chain/src/client/createBlockJudge.ts REMEMBERED":
    "bounds memory; a block that is forgotten is compared with the highest alone",
  "packages/chain/src/simulate/simulateCalls.ts SIMULATED_BLOCKS_LIMIT":
    "a rule of nodes: geth refuses more simulated blocks in one request (execution-apis, -38026)",
};
