import { RedisClient } from "bun";

/** A connection to Redis that is not mended: whoever finds it dead asks for a new one. */
export type RedisConnection = {
  /** Sends a command. @throws Error where the connection is not there, or ends before the answer; it has no deadline. */
  send(command: string, args: string[]): Promise<unknown>;
  /**
   * Gives this connection up for a new one.
   *
   * @throws Error where Redis can't be reached, after `CONNECT_TIMEOUT_MS` at most, and after `close`
   */
  renew(): Promise<void>;
  close(): void;
};

const CONNECT_TIMEOUT_MS = 1_000;

/**
 * Begins without a connection: `renew` makes the first one. Bun's own client asks for a third of the CPU time that ioredis takes
 * for a command, and a limiter sends one for every dozen requests.
 *
 * @param address a URL (`redis:`, `rediss:`, `unix:`), or the path of a socket
 * @param onLost told when the present connection ends, or can't be made, without `close`
 */
export function redisConnection(address: string, onLost: (reason: unknown) => void = () => {}): RedisConnection {
  const url = address.replace(/^(?:unix:\/\/)?\//, "redis+unix:///");
  let closed = false;
  const create = () => {
    const created = new RedisClient(url, {
      // What can't be asked at once is decided elsewhere: nothing waits for a connection, or is sent again after one was lost.
      enableOfflineQueue: false,
      autoReconnect: false,
      connectionTimeout: CONNECT_TIMEOUT_MS,
    });
    created.onclose = (reason) => {
      if (created === client && !closed) onLost(reason);
    };
    return created;
  };
  let client = create();
  return {
    send: (command, args) => client.send(command, args),
    async renew() {
      if (closed) throw new Error("the connection to Redis was closed");
      const former = client;
      client = create();
      former.close();
      await client.connect();
    },
    close() {
      closed = true;
      client.close();
    },
  };
}
