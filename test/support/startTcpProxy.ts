import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A fixed port before a server that comes and goes on ports of its own. */
export type TcpProxy = {
  port: number;
  pointAt(port: number): void;
  /** Ends all connections. */
  cut(): void;
  /** Ends all connections without a good-bye, as a machine that has lost its memory of them. */
  reset(): void;
  stop(): Promise<void>;
};

/** Forwards connections to the port it points at. Where nobody listens there, a connection is closed at once. */
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
      // Either end may vanish: that is what this proxy is for.
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
