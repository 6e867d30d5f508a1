import type { Warning } from "@dueday/core/errors";
import type { Context } from "../../operation/context";

/** Tells a keeper that prepares live that what it polls is out of date: the worker may be down. Empty while all is well. */
export function staleSnapshotWarning({ chain, clock, service }: Context): Warning[] {
  const plan = chain.snapshots.get("readiness");
  if (plan === null) return [];
  const ageMs = clock() - plan.computedAt;
  if (!plan.orphaned && ageMs <= service.config.staleAfterMs) return [];
  const message =
    "The plan served by GET /remit/readiness is stale: the service has not renewed it in time. This answer is live all the same.";
  return [{ code: "STALE_SNAPSHOT", message }];
}
