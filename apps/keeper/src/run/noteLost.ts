import type { Mined } from "../send/createSender";
import { type Explanation, explainLoss } from "./explainLoss";
import type { KeeperChain } from "./keeperChain";

type Parts = Pick<KeeperChain, "node" | "ledger" | "losses" | "suspension" | "report">;

/** Accounts for a transaction that settled nothing, and logs why. @returns why */
export async function noteLost(
  { node, ledger, losses, suspension, report }: Parts,
  mined: Mined,
): Promise<Explanation> {
  const { hash, costWei } = mined.receipt;
  // Noted before the node is asked, because the cost is known already.
  losses.note(hash, costWei);
  const explanation = await explainLoss({ node }, mined);
  const { isRival, text } = explanation;
  ledger.add(mined, explanation);
  if (!isRival && mined.attempt?.permit === null) suspension.note(mined.attempt.basis.openDay, text);
  report.log("warn", text, { transaction: hash, costWei, why: isRival ? "rival" : "unexplained" });
  return explanation;
}
