import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import { gauge, type Sample } from "@dueday/metrics/gauge";
import type { Registry } from "prom-client";
import { readScanFacts, type ScanFacts } from "./readScanFacts";
import { shareRead } from "./shareRead";

export type ChainMetricsOptions = {
  chains: readonly ChainConfig[];
  database: Database;
  logger: Logger;
  /** Milliseconds since 1970. */
  clock: () => number;
};

/**
 * Gauges of the scans, the backlog and the event index, read from the database at each scrape: every worker exposes the same
 * values, so one that ends leaves no gap. While the database can't be read, they have no value and `dueday_worker_database_up` is 0.
 */
export function chainMetrics(registry: Registry, { chains, database, logger, clock }: ChainMetricsOptions): void {
  const facts = shareRead(logger, "the metrics of the chains can't be read", () =>
    Promise.all(chains.map((chain) => readScanFacts(database, chain))),
  );

  function perChain(name: string, help: string, value: (facts: ScanFacts) => number | null | undefined): void {
    gauge(registry, {
      name,
      help,
      labels: ["chain"],
      read: async () =>
        ((await facts()) ?? []).flatMap((each): Sample[] => {
          const known = value(each);
          return known == null ? [] : [{ labels: { chain: String(each.chainId) }, value: known }];
        }),
    });
  }

  gauge(registry, {
    name: "dueday_worker_database_up",
    help: "1 while the database answers this process",
    read: async () => [{ value: (await facts()) === null ? 0 : 1 }],
  });
  gauge(registry, {
    name: "dueday_scan_age_seconds",
    help: "Time since the content of each kind was last computed or proven",
    labels: ["chain", "kind"],
    read: async () =>
      ((await facts()) ?? []).flatMap(({ chainId, scannedAt }) =>
        scannedAt.map(({ kind, provenAt }) => ({
          labels: { chain: String(chainId), kind },
          value: (clock() - provenAt) / 1000,
        })),
      ),
  });
  perChain(
    "dueday_backlog_payments",
    "Payments that remit() would handle now",
    ({ readiness }) => readiness?.totalPayments,
  );
  perChain(
    "dueday_oldest_due_day",
    "The day number that remit() settles next",
    ({ readiness }) => readiness?.nextUncheckedDay,
  );
  perChain(
    "dueday_days_behind",
    "Days from the one that remit() settles next to today, both included",
    ({ readiness }) => readiness && Math.max(0, readiness.currentDay - readiness.nextUncheckedDay + 1),
  );
  perChain(
    "dueday_expected_failures",
    "Payments of the backlog that will fail",
    ({ readiness }) => readiness?.expectedFailures,
  );
  perChain(
    "dueday_plan_transactions",
    "Transactions that the backlog needs",
    ({ readiness }) => readiness?.expectedTransactions,
  );
  perChain("dueday_blocked", "1 while remit() reverts or changes nothing", ({ readiness }) =>
    readiness === null ? null : Number(readiness.reason === "blocked"),
  );
  perChain("dueday_index_block", "Block up to which events are indexed", ({ checkpoint }) => checkpoint?.number);
  perChain(
    "dueday_index_block_age_seconds",
    "Age of the last block whose events are stored, by its time; a minute is usual where nothing happens",
    ({ checkpoint }) => checkpoint && clock() / 1000 - checkpoint.timestamp,
  );
  perChain(
    "dueday_index_age_seconds",
    "Time since the index was last confirmed to be on the chain",
    ({ checkpoint }) => checkpoint && (clock() - checkpoint.confirmedAt.getTime()) / 1000,
  );
}
