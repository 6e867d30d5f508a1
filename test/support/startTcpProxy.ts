import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A fixed port in front of a server that restarts on other ports. */
export type TcpProxy = {
  port: number;
  pointAt(port: number): void;
  /** Ends all connections. */
  cut(): void;
  /** Resets all connections, as a machine does that was restarted. */
  reset(): void;
  stop(): Promise<void>;
};

/** Forwards connections to the port it points at. A connection is closed at once where that port is closed. */
export async function startTcpProxy(): Promise<TcpProxy> {
  let target = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      // Either end may be killed by the test.
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        other.destroy();
        sockets.delete(socket);
      });
      socket.pipe(other);
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    port: address.port,
    pointAt(port) {
      target = port;
    },
    cut,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async stop() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
