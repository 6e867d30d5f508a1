import type { PlanAlarm } from "./planBacklog";

/** What is needed of a logger. */
type Log = { error(fields: object, message: string): void };

/** Writes the log line of an alarm. */
export function logPlanAlarm(logger: Log, alarm: PlanAlarm): void {
  if (alarm.kind === "state_unreadable") {
    logger.error({ err: alarm.error }, "the plan goes unchecked: the state for the model can't be read");
    return;
  }
  const { transaction, simulated, modelled } = alarm;
  logger.error({ transaction, simulated, modelled }, "the model and the chain's simulation plan differently");
}
