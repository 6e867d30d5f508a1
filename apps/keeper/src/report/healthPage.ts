import type { Clock } from "../clock";
import type { ChainStatus } from "./chainReport";

export type HealthOptions = {
  statuses(): ReadonlyMap<number, ChainStatus>;
  /** How many chains are configured: one whose nodes were never reached has no status. */
  chainCount: number;
  clock: Clock;
  /** A chain that had no plan for this time is down. */
  staleAfterMs: number;
};

const UNAVAILABLE = 503;

/** The answer of GET /health: what each chain's keeper does. 503 where one of them has had no plan for long, or needs its operator. */
export function healthPage({ statuses, chainCount, clock, staleAfterMs }: HealthOptions): () => Response {
  const startedAt = clock.elapsed();
  return () => {
    const now = clock.elapsed();
    const chains = [...statuses()].map(([chainId, { state, reason, lastPlanAt, lagSeconds }]) => {
      const isDown = state === "stopped" || now - (lastPlanAt ?? startedAt) > staleAfterMs;
      const lastPlanAgeSeconds = lastPlanAt === null ? null : Math.round((now - lastPlanAt) / 1000);
      return { chainId, status: isDown ? "down" : "ok", state, reason, lastPlanAgeSeconds, lagSeconds };
    });
    const isComplete = chains.length === chainCount || now - startedAt <= staleAfterMs;
    const isOk = isComplete && chains.every(({ status }) => status === "ok");
    return Response.json({ status: isOk ? "ok" : "down", chains }, { status: isOk ? 200 : UNAVAILABLE });
  };
}
