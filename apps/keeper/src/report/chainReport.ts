import type { Facts, LogLevel } from "./keeperLog";

/** What a chain's keeper is doing, for /health and metrics. */
export type ChainStatus = {
  state: "starting" | "idle" | "settling" | "waiting" | "stopped" | "failing";
  /** Why it waits, stops or fails; null otherwise. */
  reason: string | null;
  /** When the last plan was read, by the clock that never goes back; null before the first one. */
  lastPlanAt: number | null;
  balanceWei: bigint | null;
  /** How long the balance lasts at the usual spending; null while nothing is known about it. */
  daysOfGas: number | null;
  /** Time since the midnight of the oldest due day, by the chain's clock; 0 when nothing is due. */
  lagSeconds: number;
};

/** Where the keeper of one chain reports. No method throws or waits. */
export type ChainReport = {
  log(level: LogLevel, message: string, facts?: Facts): void;
  /** Begins an incident: a log line and a message, which further calls do not repeat until it is over. */
  raise(incident: string, text: string): void;
  /** Ends an incident; does nothing where it was not raised. */
  resolve(incident: string, text: string): void;
  announce(text: string): void;
  status(change: Partial<ChainStatus>): void;
};
