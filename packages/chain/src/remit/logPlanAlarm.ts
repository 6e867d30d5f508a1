import type { PlanAlarm } from "./planBacklog";

/** The part of a logger that is used. */
type Log = { error(fields: object, message: string): void };

/** Writes the log line of an alarm. */
export function logPlanAlarm(logger: Log, alarm: PlanAlarm): void {
  if (alarm.kind === "state_unreadable") {
    logger.error({ err: alarm.error }, "the plan is not checked by the model: its state can't be read");
    return;
  }
  if (alarm.kind === "simulation_too_slow") {
    logger.error({ err: alarm.error }, "the plan comes from the model only: the node's simulation took too long");
    return;
  }
  const { transaction, simulated, modelled } = alarm;
  logger.error(
    { transaction, simulated, modelled },
    "the model's plan differs from the one that the chain's node simulated",
  );
}
