import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Context } from "../../operation/context";

/** The part of a plan that is the same for any caller: gas and costs depend on the caller and the moment. */
type LivePlan = { totals: Pick<RemitReadiness["totals"], "transactions" | "payments" | "failures">; end: string };

/** Asks for a scan at once where a plan that was read live at `block` contradicts the one that is served. */
export function compareWithServed({ chain }: Pick<Context, "chain">, block: ChainBlock, live: LivePlan): void {
  const served = chain.snapshots.get("readiness");
  if (served === null || BigInt(served.stamp.blockNumber) > block.number) return;
  const { totals, plan } = served.payload;
  const isSame =
    plan.end === live.end &&
    totals.payments === live.totals.payments &&
    totals.failures === live.totals.failures &&
    totals.transactions === live.totals.transactions;
  if (!isSame) chain.requestProof(block.number, true);
}
