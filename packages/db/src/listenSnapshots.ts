import { Value } from "@sinclair/typebox/value";
import postgres, { type Sql } from "postgres";
import { toDatabaseError } from "./databaseError";
import { SNAPSHOT_CHANNEL, SnapshotChange } from "./snapshotChannel";
import { withDeadline } from "./withDeadline";

export type ListenOptions = {
  url: string;
  /** A snapshot was written, marked or dropped: read it. */
  onChange(change: SnapshotChange): void;
  /** Listening began, or began again: read everything, what happened before was not heard. */
  onConnect(): void;
  /** Listening failed, with what: for the log. It is tried again until `close()`. */
  onDisconnect(error: unknown): void;
  /** How often the way from sender to listener is tried. Default 5 s. */
  heartbeatMs?: number;
};

const ACTION = "listen for snapshots";
const HEARTBEAT = "heartbeat ";
const RETRY_DELAY_MS = 500;

/**
 * Hears of changed snapshots until `close()`. The driver takes up a connection that was cut, but not one that stands still, nor
 * one it failed to take up: so a message to ourselves goes the whole way now and then, and where it is not heard all begins anew.
 */
export function listenSnapshots(options: ListenOptions): { close(): Promise<void> } {
  const heartbeatMs = options.heartbeatMs ?? 5_000;
  const closing = Promise.withResolvers<void>();
  let closed = false;
  let awaited: { token: string; heard: () => void } | null = null;

  function receive(message: string): void {
    if (message === awaited?.token) awaited.heard();
    if (message.startsWith(HEARTBEAT)) return;
    options.onChange(Value.Parse(SnapshotChange, JSON.parse(message)));
  }

  async function beat(sql: Sql): Promise<void> {
    const token = `${HEARTBEAT}${crypto.randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    awaited = { token, heard: resolve };
    await withDeadline(ACTION, heartbeatMs, async () => {
      await sql.notify(SNAPSHOT_CHANNEL, token);
      await promise;
    });
  }

  /** Listens until `close()`, or throws what went wrong. */
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
