import type { OperationName } from "@dueday/sdk";
import { renewQueries } from "@dueday/sdk/react";
import type { QueryClient } from "@tanstack/react-query";

/** Operations of the buckets `expensive` and `history`: the free lane allows an address three `expensive` requests a minute. */
export const EXPENSIVE: ReadonlySet<OperationName> = new Set<OperationName>([
  ...([
    "searchSubscriptions",
    "getSubscriptionDetails",
    "getSubscribers",
    "getAccount",
    "getAccountSubscriptions",
  ] as const),
  ...(["getRemitPlan", "getRemitForecast", "listRemitHistory", "listRemitKeepers"] as const),
  ...(["getAccountSpending", "getProviderIncome", "getSubscriptionHistory", "getDetailsHistory"] as const),
  ...(["getAccountActivity", "getProviderProfile", "getProviderMetrics", "getProviderCohorts"] as const),
  ...(["listAtRisk", "listPayments"] as const),
]);

/** Events of one block arrive together, and the next blocks often follow: one request covers them all. */
const CHEAP_PAUSE_MS = 1_500;
const EXPENSIVE_PAUSE_MS = 30_000;

export type Renewal = {
  /** Asks for these answers again where they are shown: after `GATHER_MS` in a quiet time, else when the pause is over. */
  renew(names: readonly OperationName[]): void;
  stop(): void;
};

/** Renews answers after events, within the limits of the free lane. Answers that no component shows are only marked as old. */
export function createRenewal(queryClient: QueryClient): Renewal {
  const lanes = [createLane(queryClient, CHEAP_PAUSE_MS), createLane(queryClient, EXPENSIVE_PAUSE_MS)] as const;
  return {
    renew(names) {
      lanes[0].add(names.filter((name) => !EXPENSIVE.has(name)));
      lanes[1].add(names.filter((name) => EXPENSIVE.has(name)));
    },
    stop() {
      for (const lane of lanes) lane.stop();
    },
  };
}

/** Events are gathered for this time before the first renewal. The next renewal waits for the pause. */
const GATHER_MS = 250;

function createLane(queryClient: QueryClient, pauseMs: number) {
  const waiting = new Set<OperationName>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const flush = () => {
    timer = undefined;
    lastAt = performance.now();
    void renewQueries(queryClient, [...waiting]);
    waiting.clear();
  };
  return {
    add(names: readonly OperationName[]) {
      for (const name of names) waiting.add(name);
      if (waiting.size > 0) timer ??= setTimeout(flush, Math.max(GATHER_MS, lastAt + pauseMs - performance.now()));
    },
    stop: () => clearTimeout(timer),
  };
}
