import type { Logger } from "@dueday/config/createLogger";
import type { DeliveryFailureCode } from "@dueday/core/webhooks/webhook";
import type { Database } from "@dueday/db/connectDatabase";
import type { ContractScope } from "@dueday/db/schema/columns";
import { readWebhookFacts, type WebhookFacts } from "@dueday/db/webhooks/readWebhookFacts";
import { gauge, type Sample } from "@dueday/metrics/gauge";
import type { Traces } from "@dueday/metrics/traces/traces";
import { Histogram, type Registry } from "prom-client";
import { shareRead } from "./shareRead";

export type WebhookMetrics = {
  /** Counts an attempt; a null failure is a success. */
  noteAttempt(chainId: number, failure: DeliveryFailureCode | null, durationMs: number): void;
};

export type WebhookMetricsOptions = {
  contracts: readonly ContractScope[];
  database: Database;
  logger: Logger;
  /** Unix milliseconds. */
  clock: () => number;
  traces: Traces | null;
};

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

type ChainFacts = WebhookFacts & { chainId: number };

/** The metrics of webhooks: attempts of this process, and gauges that every worker reads from the database. */
export function webhookMetrics(
  registry: Registry,
  { contracts, database, logger, clock, traces }: WebhookMetricsOptions,
): WebhookMetrics {
  const attempts = new Histogram({
    name: "dueday_webhook_attempt_seconds",
    help: "Attempts to deliver in this process, by outcome, with their time",
    labelNames: ["chain", "outcome"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const read = shareRead(logger, "the metrics of webhooks can't be read", () =>
    Promise.all(
      contracts.map(async (scope): Promise<ChainFacts> => {
        const found = await readWebhookFacts(database, scope, new Date(clock()));
        return { chainId: scope.chainId, ...found };
      }),
    ),
  );
  const facts = async () => (await read()) ?? [];

  /** Age of the oldest of some times, 0 without one. */
  const ageOf = (...times: (number | null)[]) =>
    Math.max(0, ...times.map((time) => (time === null ? 0 : (clock() - time) / 1000)));

  function perChain(name: string, help: string, value: (facts: ChainFacts) => number): void {
    const sample = (each: ChainFacts): Sample => ({ labels: { chain: String(each.chainId) }, value: value(each) });
    gauge(registry, { name, help, labels: ["chain"], read: async () => (await facts()).map(sample) });
  }

  perChain(
    "dueday_webhook_oldest_undelivered_seconds",
    "Age of the oldest event that an enabled webhook has not taken and that is still retried",
    ({ oldestPendingAt, oldestWaitingAt }) => ageOf(oldestPendingAt, oldestWaitingAt),
  );
  perChain(
    "dueday_webhook_overdue_seconds",
    "How long the oldest due attempt to an endpoint that does not fail has been waiting for a worker",
    ({ oldestDueAt, oldestWaitingAt }) => ageOf(oldestDueAt, oldestWaitingAt),
  );
  gauge(registry, {
    name: "dueday_webhooks",
    help: "Webhooks by state: enabled, failing (of those), and disabled because they failed",
    labels: ["chain", "state"],
    read: async () =>
      (await facts()).flatMap(({ chainId, enabled, failing, disabled }) =>
        Object.entries({ enabled, failing, disabled }).map(([state, value]) => ({
          labels: { chain: String(chainId), state },
          value,
        })),
      ),
  });
  return {
    noteAttempt(chainId, failure, durationMs) {
      attempts.observe({ chain: String(chainId), outcome: failure?.toLowerCase() ?? "delivered" }, durationMs / 1000);
      traces?.note("webhook attempt", { "dueday.chain_id": chainId }, durationMs, failure);
    },
  };
}
