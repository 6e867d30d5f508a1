import { type Explanation, explainLoss, type LostRemit } from "./explainLoss";
import type { KeeperChain } from "./keeperChain";

type Parts = Pick<KeeperChain, "node" | "ledger" | "losses" | "suspension" | "report">;

/** Accounts for a transaction that settled nothing, and logs why. @returns why */
export async function noteLost(
  { node, ledger, losses, suspension, report }: Parts,
  lost: LostRemit,
): Promise<Explanation> {
  const { hash, costWei } = lost.receipt;
  // Noted before the node is asked, because the cost is known already.
  losses.note(hash, costWei);
  const explanation = await explainLoss({ node }, lost);
  const { isRival, text } = explanation;
  ledger.add(lost.receipt, { isRival });
  if (!isRival) suspension.note(lost.openDay, text);
  report.log("warn", text, { transaction: hash, costWei, why: isRival ? "rival" : "unexplained" });
  return explanation;
}
