import { usesUp } from "@dueday/chain/simulate/parseSimulation";
import type { Revert } from "@dueday/core/reverts/revert";
import { cleanText } from "@dueday/core/text/cleanText";
import type { Mined } from "../send/createSender";
import { findFaster } from "./findFaster";
import type { KeeperChain } from "./keeperChain";
import type { Loss } from "./ledger";

/** Why a transaction earned nothing. */
export type Explanation = Loss & { text: string };

/** Reasons of tokens are shown up to this length. */
const LONGEST_REASON_BYTES = 200;

/** Explains a transaction that settled nothing. It is a lost race only if the contract's logs or state show another keeper's remit() before it. */
export async function explainLoss({ node }: Pick<KeeperChain, "node">, mined: Mined): Promise<Explanation> {
  const { receipt, attempt } = mined;
  const { hash, success, blockNumber, gasUsed } = receipt;
  if (success)
    return { isRival: false, text: `transaction ${hash} settled nothing, although it did when it was simulated` };
  const { remit: faster, isWhole } = await findFaster({ node }, mined);
  if (faster !== null) {
    const text = `transaction ${hash} reverted: another keeper, ${faster.caller}, was faster with ${faster.hash}`;
    return { isRival: true, rival: faster.hash, text };
  }
  const came = isWhole ? "came" : "is known to have come";
  const nobody = `transaction ${hash} reverted, and no remit() of another keeper ${came} before it`;
  if (attempt?.permit !== null) return { isRival: false, text: nobody };
  // Without the logs of all blocks, a day that was closed in an earlier block shows a rival. A state does not show the order of transactions within its block.
  const day = isWhole ? null : await node.nextUncheckedDay(blockNumber - 1n);
  if (day !== null && day > attempt.basis.openDay) {
    return { isRival: true, text: `transaction ${hash} reverted: another keeper was faster` };
  }
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
