import type { Logger } from "@dueday/config/createLogger";
import { type SnapshotKind, snapshotSchemas } from "@dueday/core/snapshots/snapshot";
import type { Database } from "@dueday/db/connectDatabase";
import { listenSnapshots } from "@dueday/db/listenSnapshots";
import { readSnapshots, type SnapshotFilter } from "@dueday/db/queries/readSnapshots";
import type { Snapshot } from "@dueday/db/queries/writeSnapshots";
import type { SnapshotChange } from "@dueday/db/snapshotChannel";
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { Check } from "../check";
import type { HeldSnapshot, SnapshotCache } from "./snapshotCache";

/** Where snapshots of one chain go. */
export type FedChain = { chainId: number; contract: string; cache: SnapshotCache };

export type SnapshotFeed = {
  /** Whether the database answered the last time it was asked. */
  check(): Check;
  /** Resolves when everything was read once, or could not be. */
  ready: Promise<void>;
  close(): Promise<void>;
};

export type FeedOptions = {
  database: Database;
  databaseUrl: string;
  logger: Logger;
  chains: readonly FedChain[];
  /** Between two reads of everything, in case a notice was lost. */
  rereadMs: number;
};

const checks: Record<SnapshotKind, TypeCheck<TSchema>> = {
  protocol: TypeCompiler.Compile(snapshotSchemas.protocol),
  tokens: TypeCompiler.Compile(snapshotSchemas.tokens),
  due: TypeCompiler.Compile(snapshotSchemas.due),
  readiness: TypeCompiler.Compile(snapshotSchemas.readiness),
};

/**
 * Keeps the caches filled from the database: all at the start, what changes as it is told, and all again now and then. While the
 * database is away the caches keep what they have, and it grows stale by their own clock.
 */
export function feedSnapshots(options: FeedOptions): SnapshotFeed {
  const { database, logger, chains } = options;
  const hashes = new Map<string, string>();
  let changes: SnapshotChange[] = [];
  let reason: string | null = "not read yet";

  async function read(chain: FedChain, filter: Pick<SnapshotFilter, "kind" | "keys"> = {}): Promise<void> {
    const { chainId, contract, cache } = chain;
    for (const row of await readSnapshots(database, { chainId, contract, ...filter })) {
      const snapshot = toHeld(row, cache);
      if (snapshot !== null) cache.put(snapshot);
    }
  }

  /** Null for what this process can't serve. A payload that did not change is not parsed again. */
  function toHeld(row: Snapshot, cache: SnapshotCache): HeldSnapshot | null {
    const { kind, key, hash } = row;
    const name = `${row.chainId} ${kind} ${key}`;
    const held = hashes.get(name) === hash ? cache.get(kind, key) : null;
    const payload: unknown = held === null ? JSON.parse(row.payload) : held.payload;
    if (held === null && !checks[kind].Check(payload)) {
      logger.error({ chainId: row.chainId, kind, key }, "a snapshot does not fit its schema; it is not served");
      return null;
    }
    hashes.set(name, hash);
    const { blockNumber, blockHash, blockTimestamp, orphaned, computedAt } = row;
    const stamp = { blockNumber: blockNumber.toString(), blockHash, blockTimestamp };
    // The check above is that of this kind.
    return { kind, key, stamp, orphaned, computedAt: computedAt.getTime(), payload } as HeldSnapshot;
  }

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (reason !== null) logger.info("snapshots are read from the database");
      reason = null;
    } catch (error) {
      if (reason === null) logger.warn({ err: error }, "the database does not answer; serving what is in memory");
      reason = "the database does not answer; answers come from memory and grow stale";
    }
  }

  const readAll = () => attempt(() => Promise.all(chains.map((chain) => read(chain))));

  /** A scan writes dozens of snapshots at once, and each is told of by itself: they are read together. */
  function noteChange(change: SnapshotChange): void {
    changes.push(change);
    if (changes.length === 1) setTimeout(() => void attempt(readChanges), GATHER_MS);
  }

  async function readChanges(): Promise<void> {
    const noted = Map.groupBy(changes, ({ chainId, contract, kind }) => `${chainId} ${contract} ${kind}`);
    changes = [];
    for (const group of noted.values()) {
      const [first] = group;
      const chain = chains.find(({ chainId, contract }) => chainId === first?.chainId && contract === first.contract);
      if (chain === undefined || first === undefined) continue;
      await read(chain, { kind: first.kind, keys: group.map(({ key }) => key) });
    }
  }

  const ready = readAll();
  const listener = listenSnapshots({
    url: options.databaseUrl,
    onChange: noteChange,
    onConnect: () => void readAll(),
    onDisconnect: (error) => logger.warn({ err: error }, "notices of new snapshots do not come through"),
  });
  const timer = setInterval(() => void readAll(), options.rereadMs);
  return {
    ready,
    check: () => (reason === null ? { status: "ok" } : { status: "down", reason }),
    async close() {
      clearInterval(timer);
      await listener.close();
    },
  };
}

const GATHER_MS = 5;
