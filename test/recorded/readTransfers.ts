import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { CallStep, RecordedLog } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";

/** What tokens moved for: paid by a subscriber to a provider or to the contract, and what the contract paid out. */
export type Purpose = "paidToProvider" | "paidToContract" | "toProvider" | "toSubscriber" | "toKeeper" | "toSystem";

/** A recorded Transfer: accounts and token by name, in token units. */
export type Transfer = { purpose: Purpose; from: string; to: string; token: string; units: bigint; day: number };

/** The recorded Transfers by purpose: it reads no amount of the protocol's own logs. */
export function readTransfers({ scenario }: ReplayContext): Transfer[] {
  return scenario.steps.flatMap((step) => {
    if (!("logs" in step)) return [];
    return step.logs.flatMap((log, index): Transfer[] => {
      if (log.event !== "Transfer") return [];
      const [from, to, token] = [String(log.from), String(log.to), String(log.token)];
      const moved = { from, to, token, units: BigInt(String(log.value)), day: dayNumber(step.at) };
      if (from === "protocol") return [{ purpose: paidOutFor(step, step.logs[index - 1], log), ...moved }];
      return [{ purpose: to === "protocol" ? "paidToContract" : "paidToProvider", ...moved }];
    });
  });
}

/** Why the contract paid: by the call and the log before. */
function paidOutFor({ op, by }: CallStep, before: RecordedLog | undefined, { to }: RecordedLog): Purpose {
  if (before?.subScriptEvent === "PROVREFUND") return "toProvider";
  if (op === "unsubscribeByProvider") return "toSubscriber";
  if (op === "cleanupCancelledSubscribers") return before?.event === "SubLog" ? "toSubscriber" : "toSystem";
  return to === by ? "toKeeper" : "toSystem";
}
