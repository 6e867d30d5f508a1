import { usesUp } from "@dueday/chain/simulate/parseSimulation";
import type { Revert } from "@dueday/core/reverts/revert";
import { cleanText } from "@dueday/core/text/cleanText";
import type { MinedRemit } from "../node/keeperNode";
import type { Attempt } from "../send/sendStep";
import type { KeeperChain } from "./keeperChain";

export type LostRemit = {
  receipt: MinedRemit;
  /** Null: an earlier process signed it. */
  attempt: Attempt | null;
  /** A block before the transaction was sent: remits of other keepers are looked for after this block. */
  sinceBlock: bigint;
  /** The first day that was open when the transaction was sent. */
  openDay: number;
};

/** Why a transaction earned nothing. `isRival`: another keeper's remit() came before it. */
export type Explanation = { isRival: boolean; text: string };

/** Reasons of tokens are shown up to this length. */
const LONGEST_REASON_BYTES = 200;

/** Explains a transaction that settled nothing. It is a lost race only if the contract's logs or state show another keeper's remit() before it. */
export async function explainLoss(
  { node }: Pick<KeeperChain, "node">,
  { receipt, attempt, sinceBlock, openDay }: LostRemit,
): Promise<Explanation> {
  const { hash, success, blockNumber, index, gasUsed } = receipt;
  if (success)
    return { isRival: false, text: `transaction ${hash} settled nothing, although it did when it was simulated` };
  const logged = await node.rivals(sinceBlock, blockNumber);
  // A node that does not give the logs of so many blocks may give those of one.
  const rivals = logged ?? (await node.rivals(blockNumber - 1n, blockNumber));
  const faster = rivals?.find((rival) => rival.blockNumber < blockNumber || rival.index < index);
  if (faster !== undefined) {
    const text = `transaction ${hash} reverted: another keeper, ${faster.caller}, was faster with ${faster.hash}`;
    return { isRival: true, text };
  }
  // Without the logs of all blocks, a day that was closed in an earlier block shows a rival. A state does not show the order of transactions within its block.
  const day = logged === null ? await node.nextUncheckedDay(blockNumber - 1n) : null;
  if (day !== null && day > openDay) {
    return { isRival: true, text: `transaction ${hash} reverted: another keeper was faster` };
  }
  const isKnown = logged === null ? "is known to have come" : "came";
  const nobody = `transaction ${hash} reverted, and no remit() of another keeper ${isKnown} before it`;
  if (attempt === null) return { isRival: false, text: nobody };
  if (usesUp(gasUsed, attempt.gas)) {
    return { isRival: false, text: `${nobody}: it used up its ${attempt.gas} gas` };
  }
  const revert = await node.replayRemit(blockNumber - 1n, attempt.gas, attempt.fees);
  return { isRival: false, text: `${nobody}: ${reasonText(revert)}` };
}

function reasonText(revert: Revert | null): string {
  if (revert === null) {
    return "it succeeds when it is simulated, so something in it behaves differently in a transaction that is mined";
  }
  return cleanText(revert.message, LONGEST_REASON_BYTES).text;
}
