import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { MinedRemit } from "../node/keeperNode";
import type { KeeperChain } from "./keeperChain";

/** What a mined transaction settled; null where it reverted or changed nothing. */
export function effectsOf(
  { success, logs }: MinedRemit,
  { contract, from }: Pick<KeeperChain, "contract" | "from">,
): RemitEffects | null {
  if (!success) return null;
  const effects = parseRemitLogs(logs, { contract, caller: from });
  return effects.payments === 0 && effects.closesDays.length === 0 ? null : effects;
}
