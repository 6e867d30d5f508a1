import { readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import type { ChainUpdate } from "../follow/createFollower";
import { applyLogs } from "./applyLogs";
import { toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { compareLogs } from "./recheckLogs";

/**
 * Applies what the follower found to the index, without a request to the node beyond the terms of new subscriptions.
 *
 * @returns false where the index is not at the update's `after`: it has to catch up by itself.
 */
export async function applyUpdate(context: IndexContext, update: ChainUpdate): Promise<boolean> {
  const { after, head, blocks, logs, lateLogs } = update;
  const checkpoint = await readCheckpoint(context.database, context.chain);
  if (checkpoint === null) return false;
  const end = toIndexedBlock(head);
  if (checkpoint.hash !== end.hash) {
    if (after === null || logs === null || toIndexedBlock(after).hash !== checkpoint.hash) return false;
    const fetched = { after: checkpoint, checkpoint: end, blocks: blocks.map(toIndexedBlock), logs };
    const applied = { ...fetched, stateBlock: head, headNumber: end.number };
    if (!(await applyLogs(context, applied))) return false;
  }
  if (lateLogs.length === 0) return true;
  const numbers = lateLogs.map(({ blockNumber }) => blockNumber);
  const range = { from: Math.min(...numbers), to: Math.max(...numbers) };
  return (await compareLogs(context, end, range)) !== "moved";
}
