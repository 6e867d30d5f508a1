import type { Facts, LogLevel } from "./keeperLog";

/** What a chain's keeper is doing, for /health and metrics. */
export type ChainStatus = {
  state: "starting" | "idle" | "settling" | "waiting" | "stopped" | "failing";
  /** Why it waits, stops or fails; null otherwise. */
  reason: string | null;
  /** By the clock that never goes back; null before the first. */
  lastPlanAt: number | null;
  balanceWei: bigint | null;
  /** How long the balance lasts at the usual spending; null while nothing is known about it. */
  daysOfGas: number | null;
  /** Since the midnight of the oldest due day, by the chain's clock; 0 when caught up. */
  lagSeconds: number;
};

/** Where the keeper of one chain reports to. None of it throws or waits. */
export type ChainReport = {
  log(level: LogLevel, message: string, facts?: Facts): void;
  /** Something that somebody should know once, until it is over: a log line and a message. */
  raise(incident: string, text: string): void;
  /** It is over; nothing happens where it was not raised. */
  resolve(incident: string, text: string): void;
  announce(text: string): void;
  status(change: Partial<ChainStatus>): void;
};
