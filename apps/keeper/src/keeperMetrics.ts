import type { Registry } from "@dueday/metrics/createRegistry";
import { gauge, type Sample } from "@dueday/metrics/gauge";
import type { Clock } from "./clock";
import type { ChainStatus } from "./report/chainReport";
import type { Notifier } from "./report/createNotifier";
import type { KeeperChain } from "./run/keeperChain";
import type { Totals } from "./run/ledger";

const WEI = 1e18;

export type KeeperParts = {
  chains(): readonly KeeperChain[];
  statusOf(chainId: number): ChainStatus | undefined;
  notifier: Notifier;
  clock: Clock;
};

/** Registers gauges of the keeper's state, read from memory at each scrape. Amounts are rounded: good enough for graphs, not for accounting. */
export function keeperMetrics(registry: Registry, { chains, statusOf, notifier, clock }: KeeperParts): void {
  function perChain(name: string, help: string, value: (status: ChainStatus) => number | null): void {
    const read = () =>
      chains().flatMap(({ chainId }): Sample[] => {
        const status = statusOf(chainId);
        const found = status === undefined ? null : value(status);
        return found === null ? [] : [{ labels: { chain: String(chainId) }, value: found }];
      });
    gauge(registry, { name, help, labels: ["chain"], read });
  }

  function perOutcome(
    name: string,
    help: string,
    label: string,
    values: (totals: Totals) => Record<string, number>,
  ): void {
    const read = () =>
      chains().flatMap(({ chainId, ledger }) =>
        Object.entries(values(ledger.totals())).map(([outcome, value]) => ({
          labels: { chain: String(chainId), [label]: outcome },
          value,
        })),
      );
    gauge(registry, { name, help, labels: ["chain", label], read });
  }

  function perLedger(name: string, help: string, value: (totals: Totals) => number): void {
    const read = () =>
      chains().map(({ chainId, ledger }) => ({ labels: { chain: String(chainId) }, value: value(ledger.totals()) }));
    gauge(registry, { name, help, labels: ["chain"], read });
  }

  perChain("dueday_keeper_balance_ether", "Balance of the keeper's address", ({ balanceWei }) =>
    balanceWei === null ? null : Number(balanceWei) / WEI,
  );
  perChain(
    "dueday_keeper_days_of_gas",
    "How long the balance lasts at the spending since the start",
    ({ daysOfGas }) => daysOfGas,
  );
  perChain(
    "dueday_keeper_lag_seconds",
    "Since 00:00 UTC at the beginning of the oldest due day; 0 when caught up",
    ({ lagSeconds }) => lagSeconds,
  );
  perChain("dueday_keeper_plan_age_seconds", "Since the last plan was read", ({ lastPlanAt }) =>
    lastPlanAt === null ? null : (clock.elapsed() - lastPlanAt) / 1000,
  );
  perChain(
    "dueday_keeper_stopped",
    "1 while the keeper needs its operator: blocked, out of gas, or after losses",
    ({ state }) => (state === "stopped" ? 1 : 0),
  );
  perChain("dueday_keeper_failing", "1 while the plan's source or the node does not answer", ({ state }) =>
    state === "failing" ? 1 : 0,
  );
  perOutcome("dueday_keeper_transactions_total", "Transactions since the start, by outcome", "outcome", (totals) => ({
    settled: totals.settled,
    overtaken: totals.reverted - totals.unexplained,
    unexplained: totals.unexplained,
  }));
  perOutcome("dueday_keeper_payments_total", "Payments handled since the start, by outcome", "outcome", (totals) => ({
    paid: totals.payments - totals.failures,
    failed: totals.failures,
  }));
  perLedger("dueday_keeper_permits_total", "Permits submitted since the start", ({ permits }) => permits);
  perOutcome(
    "dueday_keeper_races_total",
    "Transactions of open backlogs: own, and those of other keepers",
    "outcome",
    (totals) => ({
      won: totals.settled,
      lost: totals.lost,
    }),
  );
  perLedger(
    "dueday_keeper_cost_ether_total",
    "Gas and data fees since the start",
    ({ costWei }) => Number(costWei) / WEI,
  );
  perLedger(
    "dueday_keeper_lost_ether_total",
    "The part of the costs since the start that settled nothing",
    ({ lossWei }) => Number(lossWei) / WEI,
  );
  gauge(registry, {
    name: "dueday_keeper_fees_total",
    help: "Fees earned since the start, whole tokens",
    labels: ["chain", "token"],
    read: () =>
      chains().flatMap(({ chainId, ledger, tokens }) =>
        tokens.amounts(ledger.totals()).map(({ token, amount }) => ({
          labels: { chain: String(chainId), token },
          value: amount,
        })),
      ),
  });
  gauge(registry, {
    name: "dueday_keeper_notifications_total",
    help: "Messages sent since the start",
    read: () => [{ value: notifier.sent() }],
  });
}
