import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import postgres, { type Sql } from "postgres";
import { DatabaseError, toDatabaseError } from "./databaseError";
import { withDeadline } from "./withDeadline";

export type ListenOptions = {
  url: string;
  /** Listening started or restarted. Messages before that were missed. */
  onConnect(): void;
  /** Listening failed with this error, and is tried again until `close()`. Called once for each kind of error until `onConnect`. */
  onDisconnect(error: unknown): void;
  /** Interval of the heartbeat, and the time after which a missing one counts as a failure. Default 5 s. */
  heartbeatMs?: number;
};

type Channel<T extends TSchema> = {
  channel: string;
  /** Names the listener in errors, e.g. "listen for snapshots". */
  action: string;
  /** Messages that do not match it are ignored: every user of the database can send on the channel. */
  schema: T;
  onMessage(message: Static<T>): void;
};

const HEARTBEAT = "heartbeat ";
const RETRY_DELAY_MS = 500;

/**
 * Listens on a NOTIFY channel until `close()`. The driver reconnects after a closed connection, but not after a frozen one or
 * a failed reconnect. So the listener sends itself a heartbeat, and opens a new connection if it does not arrive.
 */
export function listenChannel<T extends TSchema>(options: ListenOptions & Channel<T>): { close(): Promise<void> } {
  const { channel, action } = options;
  const heartbeatMs = options.heartbeatMs ?? 5_000;
  const closing = Promise.withResolvers<void>();
  let closed = false;
  /** The errors since the last connection. */
  const faults = new Set<string>();
  let awaited: { token: string; arrived: () => void } | null = null;

  function connected(): void {
    faults.clear();
    options.onConnect();
  }

  function disconnected(error: unknown): void {
    const fault = error instanceof DatabaseError ? error.code : String(error);
    if (closed || faults.has(fault)) return;
    faults.add(fault);
    options.onDisconnect(error);
  }

  function receive(text: string): void {
    if (text === awaited?.token) awaited.arrived();
    if (text.startsWith(HEARTBEAT)) return;
    const message = parseMessage(options.schema, text);
    if (message !== null) options.onMessage(message);
  }

  async function beat(sql: Sql): Promise<void> {
    const token = `${HEARTBEAT}${crypto.randomUUID()}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    awaited = { token, arrived: resolve };
    await withDeadline(action, heartbeatMs, async () => {
      await sql.notify(channel, token);
      await promise;
    });
  }

  /** Listens until `close()`; throws if the connection fails. */
  async function session(): Promise<void> {
    const sql = postgres(options.url, { max: 1, connect_timeout: 5, onnotice: () => {} });
    try {
      await withDeadline(action, heartbeatMs, () => sql.listen(channel, receive, connected));
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
        disconnected(toDatabaseError(action, error));
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

/** Null for a text that does not match the schema. */
function parseMessage<T extends TSchema>(schema: T, text: string): Static<T> | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(schema, value) ? value : null;
  } catch {
    return null;
  }
}
