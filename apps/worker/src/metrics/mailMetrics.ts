import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import { readMailState } from "@dueday/db/reminders/readMailState";
import { gauge } from "@dueday/metrics/gauge";
import { Histogram, type Registry } from "prom-client";
import { shareRead } from "./shareRead";

export type MailMetrics = {
  /** Counts an attempt to send a mail. */
  noteAttempt(outcome: "sent" | "refused" | "deferred" | "unreachable", durationMs: number): void;
};

const SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60];

/** The metrics of reminders: attempts of this process, and gauges that every worker reads from the database. */
export function mailMetrics(
  registry: Registry,
  { database, logger, clock }: { database: Database; logger: Logger; clock: () => number },
): MailMetrics {
  const attempts = new Histogram({
    name: "dueday_mail_attempt_seconds",
    help: "Attempts to send a mail in this process, by outcome, with their time. refused includes bounces that the server reports at once",
    labelNames: ["outcome"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  const state = shareRead(logger, "the metrics of reminders can't be read", () =>
    readMailState(database, new Date(clock())),
  );

  gauge(registry, {
    name: "dueday_mail_overdue_seconds",
    help: "Time since the mail that has been due longest became due; 0 where none is due",
    labels: [],
    async read() {
      const found = await state();
      if (found === null) return [];
      const { oldestDueAt } = found;
      return [{ labels: {}, value: oldestDueAt === null ? 0 : Math.max(0, (clock() - oldestDueAt) / 1000) }];
    },
  });
  gauge(registry, {
    name: "dueday_mailboxes",
    help: "Mailboxes: confirmed, unconfirmed, and, of both, those whose last mail was refused by their server (refused)",
    labels: ["state"],
    async read() {
      const found = await state();
      if (found === null) return [];
      const { confirmed, unconfirmed, refused } = found;
      return Object.entries({ confirmed, unconfirmed, refused }).map(([name, value]) => ({
        labels: { state: name },
        value,
      }));
    },
  });
  return { noteAttempt: (outcome, durationMs) => attempts.observe({ outcome }, durationMs / 1000) };
}
