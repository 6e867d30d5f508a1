import { Value } from "@sinclair/typebox/value";
import postgres, { type Sql } from "postgres";
import { toDatabaseError } from "./databaseError";
import { knownSnapshots } from "./queries/knownSnapshots";
import { SNAPSHOT_CHANNEL, type SnapshotChange, SnapshotMessage } from "./snapshotChannel";
import { withDeadline } from "./withDeadline";

export type ListenOptions = {
  url: string;
  /** A snapshot of a known schema version was written, marked as orphaned or deleted. */
  onChange(change: SnapshotChange): void;
  /** Listening started or restarted. Changes before that were missed, so read all snapshots. */
  onConnect(): void;
  /** Listening failed with this error. It is retried until `close()`. */
  onDisconnect(error: unknown): void;
  /** Interval of the heartbeat, and the time after which a missing one counts as a failure. Default 5 s. */
  heartbeatMs?: number;
};

const ACTION = "listen for snapshots";
const HEARTBEAT = "heartbeat ";
const RETRY_DELAY_MS = 500;

/** Null for a message that is not one of `notifyChanges`: every user of the database can send on the channel. */
function parseMessage(message: string): SnapshotMessage | null {
  try {
    const value: unknown = JSON.parse(message);
    return Value.Check(SnapshotMessage, value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Listens for changed snapshots until `close()`. The driver reconnects after a closed connection, but not after a frozen one or
 * a failed reconnect. So the listener sends itself a heartbeat, and opens a new connection if it does not arrive.
 */
export function listenSnapshots(options: ListenOptions): { close(): Promise<void> } {
  const heartbeatMs = options.heartbeatMs ?? 5_000;
  const closing = Promise.withResolvers<void>();
  let closed = false;
  let awaited: { token: string; arrived: () => void } | null = null;

  function receive(message: string): void {
    if (message === awaited?.token) awaited.arrived();
    if (message.startsWith(HEARTBEAT)) return;
    const change = parseMessage(message);
    if (change !== null) for (const known of knownSnapshots([change])) options.onChange(known);
  }

  async function beat(sql: Sql): Promise<void> {
    const token = `${HEARTBEAT}${crypto.randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    awaited = { token, arrived: resolve };
    await withDeadline(ACTION, heartbeatMs, async () => {
      await sql.notify(SNAPSHOT_CHANNEL, token);
      await promise;
    });
  }

  /** Listens until `close()`; throws if the connection fails. */
  async function session(): Promise<void> {
    const sql = postgres(options.url, { max: 1, connect_timeout: 5, onnotice: () => {} });
    try {
      await withDeadline(ACTION, heartbeatMs, () => sql.listen(SNAPSHOT_CHANNEL, receive, options.onConnect));
      while (!closed) {
        await beat(sql);
        await Promise.race([Bun.sleep(heartbeatMs), closing.promise]);
      }
    } finally {
      await sql.end({ timeout: 0 });
    }
  }

  async function listen(): Promise<void> {
    while (!closed) {
      try {
        await session();
      } catch (error) {
        if (!closed) options.onDisconnect(toDatabaseError(ACTION, error));
        await Promise.race([Bun.sleep(RETRY_DELAY_MS), closing.promise]);
      }
    }
  }

  const listening = listen();
  return {
    async close() {
      closed = true;
      closing.resolve();
      await listening;
    },
  };
}
