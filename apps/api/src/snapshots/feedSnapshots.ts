import type { Logger } from "@dueday/config/createLogger";
import { type SnapshotKind, snapshotSchemas } from "@dueday/core/snapshots/snapshot";
import type { Database } from "@dueday/db/connectDatabase";
import type { HeadMessage } from "@dueday/db/headMessage";
import { listenSnapshots } from "@dueday/db/listenSnapshots";
import type { SnapshotChange } from "@dueday/db/snapshotChannel";
import { readSnapshots, type SnapshotFilter } from "@dueday/db/snapshots/readSnapshots";
import type { Snapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { WorkerMessage } from "@dueday/db/workerMessage";
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { Check } from "../health/check";
import type { HeldSnapshot, SnapshotCache } from "./snapshotCache";

/** The cache that receives the snapshots of one chain. */
export type FedChain = { chainId: number; contract: string; cache: SnapshotCache };

export type SnapshotFeed = {
  /** Whether the database answered the latest query. */
  check(): Check;
  /** Resolves after the first read of everything, even if it failed. */
  ready: Promise<void>;
  /** Resolves when no read is under way. */
  close(): Promise<void>;
};

export type FeedOptions = {
  database: Database;
  databaseUrl: string;
  logger: Logger;
  chains: readonly FedChain[];
  /** Milliseconds between two reads of everything, in case a notification was lost. */
  rereadMs: number;
  /** A worker announced the head of one of the chains. */
  onHead?(message: HeadMessage): void;
  /** Notifications arrive from now on, and everything was read. */
  onConnect?(chain: FedChain): void;
  /** A worker reported itself. */
  onWorker?(message: WorkerMessage): void;
};

const checks: Record<SnapshotKind, TypeCheck<TSchema>> = {
  protocol: TypeCompiler.Compile(snapshotSchemas.protocol),
  tokens: TypeCompiler.Compile(snapshotSchemas.tokens),
  due: TypeCompiler.Compile(snapshotSchemas.due),
  readiness: TypeCompiler.Compile(snapshotSchemas.readiness),
};

/**
 * Keeps the caches filled from the database: everything at the start, each change when it is notified, and everything again
 * periodically. While the database does not answer, the caches keep their snapshots, which become stale with time.
 */
export function feedSnapshots(options: FeedOptions): SnapshotFeed {
  const { database, logger, chains } = options;
  const reported = new Set<string>();
  let changes: SnapshotChange[] = [];
  let gathering: Timer | null = null;
  /** False until everything was read, and after a failed read: the changes that it should have read are then missing. */
  let isComplete = false;
  let isClosed = false;
  let reads: Promise<void> = Promise.resolve();
  let reason: string | null = NOT_READ;

  async function read(chain: FedChain, filter: Pick<SnapshotFilter, "kind" | "keys"> = {}): Promise<void> {
    const { chainId, contract, cache } = chain;
    const rows = await readSnapshots(database, { chainId, contract, ...filter });
    // A read of everything marks unreadable rows again, but not rows that were pruned.
    if (filter.kind === undefined) cache.forgetUnreadable();
    const held = rows.map((row) => toHeld(row, cache)).filter((snapshot) => snapshot !== null);
    // First pages are polled most, so they are in memory before their snapshot; other pages are read when they are asked for.
    await cache.pages.load(held.flatMap(firstPages));
    for (const snapshot of held) cache.put(snapshot);
  }

  /** Null for a snapshot that this process can't serve. A payload that did not change is not parsed again. */
  function toHeld(row: Snapshot, cache: SnapshotCache): HeldSnapshot | null {
    const { kind, key, hash } = row;
    const held = cache.get(kind, key);
    const isHeld = held?.hash === hash;
    const payload: unknown = isHeld ? held.payload : parseJson(row.payload);
    if (!isHeld && !checks[kind].Check(payload)) {
      cache.markUnreadable(kind, key);
      const fault = payload === undefined ? "is not JSON" : "does not fit its schema";
      const version = `${row.chainId} ${kind} ${key} ${hash} ${row.blockHash}`;
      if (!reported.has(version)) {
        logger.error({ chainId: row.chainId, kind, key }, `snapshot "${kind}" ${fault}; it is not served`);
      }
      // Rows are read repeatedly, but each fault is logged once. The bound is for a worker that writes only faulty rows.
      if (reported.size >= REPORTED_FAULTS) reported.clear();
      reported.add(version);
      return null;
    }
    const { blockNumber, blockHash, blockTimestamp, blockTimestampMs, orphaned, computedAt, confirmedAt } = row;
    const stamp = {
      blockNumber: blockNumber.toString(),
      blockHash,
      blockTimestamp,
      ...(blockTimestampMs !== null && { timestampMs: blockTimestampMs }),
    };
    const times = { computedAt: computedAt.getTime(), confirmedAt: confirmedAt?.getTime() ?? null };
    // It has passed the check of its kind.
    return { kind, key, stamp, orphaned, ...times, hash, payload } as HeldSnapshot;
  }

  /** Runs reads one after the other, so that the snapshot put last was read last: only the database knows their order. */
  function attempt(work: () => Promise<unknown>): Promise<void> {
    reads = reads.then(() => attemptNow(work));
    return reads;
  }

  async function attemptNow(work: () => Promise<unknown>): Promise<void> {
    if (isClosed) return;
    try {
      await work();
      // The end of an outage is logged by the watch of the database.
      if (reason === NOT_READ) logger.info("snapshots are read from the database");
      reason = null;
    } catch (error) {
      isComplete = false;
      if (reason === null) logger.warn({ err: error }, "the database does not answer; serving what is in memory");
      reason = "the database does not answer; answers come from memory and become stale";
    }
  }

  let waiting: Promise<void> | null = null;

  function chainOf({ chainId, contract }: { chainId: number; contract: string }): FedChain | undefined {
    return chains.find((each) => each.chainId === chainId && each.contract === contract);
  }

  /** Reads everything. Calls that wait for an earlier read share one. */
  function readAll(): Promise<void> {
    waiting ??= attempt(async () => {
      waiting = null;
      await readAllNow();
    });
    return waiting;
  }

  async function readAllNow(): Promise<void> {
    // Changes are committed before they are notified, so this read includes all of them.
    changes = [];
    for (const chain of chains) await read(chain);
    isComplete = true;
  }

  /** A scan writes dozens of snapshots at once, each with its own notification: they are read together. */
  function noteChange(change: SnapshotChange): void {
    changes.push(change);
    gathering ??= setTimeout(readGathered, GATHER_MS);
  }

  function readGathered(): void {
    if (gathering === null) return;
    clearTimeout(gathering);
    gathering = null;
    void attempt(readChanges);
  }

  /**
   * Applies a notification after the reads for earlier ones: a confirmation may be of a content that is still being read, and a row that
   * was read before blocks were replaced does not show the replacement.
   */
  function afterReads(apply: () => void): void {
    readGathered();
    reads = reads.then(() => applyNow(apply));
  }

  /** A fault in one notification does not stop later reads: everything is read again with the next change. */
  function applyNow(apply: () => void): void {
    try {
      apply();
    } catch (error) {
      isComplete = false;
      logger.error({ err: error }, "a notification of a worker was not applied");
    }
  }

  async function readChanges(): Promise<void> {
    if (!isComplete) return readAllNow();
    const noted = Map.groupBy(changes, ({ chainId, contract, kind }) => `${chainId} ${contract} ${kind}`);
    changes = [];
    for (const group of noted.values()) {
      const [first] = group;
      const chain = first && chainOf(first);
      if (first === undefined || chain === undefined) continue;
      await read(chain, { kind: first.kind, keys: group.map(({ key }) => key) });
    }
  }

  /** Notifications that were sent without a connection are lost. Rows can be a minute older than those, so a new proof is requested. */
  async function connected(): Promise<void> {
    for (const { cache } of chains) cache.forgetConfirmations();
    await readAll();
    for (const chain of chains) options.onConnect?.(chain);
  }

  const ready = readAll();
  const listener = listenSnapshots({
    url: options.databaseUrl,
    onChange: noteChange,
    onHead: (message) => options.onHead?.(message),
    onWorker: (message) => options.onWorker?.(message),
    onConfirmation: (message) => afterReads(() => chainOf(message)?.cache.confirm(message)),
    onWithdrawal(message) {
      const withdraw = () => chainOf(message)?.cache.withdraw(BigInt(message.orphanedFrom));
      // Also applied at once, so that a slow read does not keep replaced blocks in answers.
      applyNow(withdraw);
      afterReads(withdraw);
    },
    onConnect: () => void connected(),
    onDisconnect: (error) => logger.warn({ err: error }, "notifications of new snapshots do not arrive"),
  });
  const timer = setInterval(() => void readAll(), options.rereadMs);
  return {
    ready,
    check: () => (reason === null ? { status: "ok" } : { status: "down", reason }),
    async close() {
      isClosed = true;
      clearInterval(timer);
      await listener.close();
      if (gathering !== null) clearTimeout(gathering);
      await reads;
    },
  };
}

function firstPages(snapshot: HeldSnapshot): string[] {
  if (!isDue(snapshot)) return [];
  return snapshot.payload.lists.flatMap(({ pages }) => pages.slice(0, 1));
}

function isDue(snapshot: HeldSnapshot): snapshot is HeldSnapshot<"due"> {
  return snapshot.kind === "due";
}

const NOT_READ = "not read yet";
const GATHER_MS = 5;
const REPORTED_FAULTS = 1_000;

/** Undefined, which JSON cannot express, for a text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
