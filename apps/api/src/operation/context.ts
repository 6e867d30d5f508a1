import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { RemitBook } from "@dueday/chain/remit/state/createRemitBook";
import type { ChainConfig } from "@dueday/config/chains";
import type { LineLog } from "@dueday/config/createLineLog";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { ChainMonitor } from "../chains/monitorChain";
import type { HistorySource } from "../history/historySource";
import type { Access } from "../identity/access";
import type { NoteRequest } from "../metrics/requestMetrics";
import type { SnapshotCache } from "../snapshots/snapshotCache";
import type { Operation } from "./defineOperation";

/** Milliseconds since 1970 of the machine's clock. For deadlines, staleness and limits only: never for what day it is. */
export type Clock = () => number;

/** One served chain. */
export type ServedChain = {
  config: ChainConfig;
  client: ChainClient;
  /** What the last look at the node showed. */
  monitor: ChainMonitor;
  snapshots: SnapshotCache;
  /** Where its events come from. */
  history: HistorySource;
  /** What was read of the contract for plans: a later one costs what has changed. */
  book: RemitBook;
  /** One computation for all who ask for the same at the same time. */
  inFlight: Map<string, Promise<unknown>>;
};

/** Whether a part of the service works, with the reason where it does not. */
export type Check = { status: "ok" | "degraded" | "down" | "off"; reason?: string };

/** What one API process consists of. Made once, by `startApi`. */
export type Service = {
  version: string;
  config: Config;
  logger: Logger;
  /** Takes the log lines of requests that went as they should. */
  requestLines: LineLog;
  /** Counts each answered request. */
  noteRequest: NoteRequest;
  clock: Clock;
  startedAt: number;
  chains: ReadonlyMap<number, ServedChain>;
  defaultChain: ServedChain;
  operations: readonly Operation[];
  /** Lanes, keys and limits. */
  access: Access;
  /** What /status tells of the parts that all chains share. */
  checks(): { database: Check; queue: Check; limiter: Check };
  /** Hold every answer against its schema: in development and tests. */
  checkOutputs: boolean;
};

export type Lane = "free" | "developer";

/** What a handler may know of the request it answers. */
export type RequestContext = {
  service: Service;
  /** The chain the request selected; the default chain for an operation that is not chain-scoped. */
  chain: ServedChain;
  requestId: string;
  lane: Lane;
  /** The day's hash of the client's address. */
  client: string;
  /** Aborted at the deadline, and when the client has gone. */
  signal: AbortSignal;
};
