import type { Mined } from "../send/createSender";
import type { SentPermit } from "../send/sendStep";
import type { KeeperChain } from "./keeperChain";

type Parts = Pick<KeeperChain, "ledger" | "losses" | "permits" | "report">;

/**
 * Accounts for a mined permit. Its cost counts as lost for a day; `settleRound` ends that for a permit of the same round once something is
 * settled. One that reverted is not tried again.
 */
export function notePermit({ ledger, losses, permits, report }: Parts, mined: Mined, { id, owner }: SentPermit): void {
  const { hash, costWei, success } = mined.receipt;
  ledger.add(mined, { isPermit: true });
  losses.note(hash, costWei);
  const facts = { transaction: hash, costWei, permit: id };
  if (success) report.log("info", `submitted the permit ${id} of ${owner}`, facts);
  else {
    permits?.failed.add(id);
    report.log("warn", `the permit ${id} of ${owner} reverted, although it did not when it was simulated`, facts);
  }
}
