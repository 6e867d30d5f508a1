import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

/** A request that arrived, its signature checked by the specification's own library. */
export type Received = {
  id: string;
  seq: number | undefined;
  type: string;
  headers: IncomingHttpHeaders;
  /** Whether it is signed with the receiver's secret. */
  verified: boolean;
  body: string;
};

export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  /** What verifies: the secret of the webhook. */
  secret: string;
  /** Answers the next requests; default 204. */
  answer: (response: ServerResponse, received: Received) => void;
  stop(): Promise<void>;
};

export type ReceiverOptions = {
  /** Its certificate; without one it speaks http. */
  tls?: { key: string; cert: string };
  /** A loopback address. */
  host?: string;
  /** By default a free one. */
  port?: number;
};

/** An endpoint on this machine. */
export async function startReceiver({ tls, host = "127.0.0.1", port = 0 }: ReceiverOptions = {}): Promise<Receiver> {
  const receiver: Receiver = {
    url: "",
    port: 0,
    received: [],
    secret: "",
    answer: (response) => response.writeHead(204).end(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server: Server = (tls === undefined ? createServer() : createTlsServer(tls)).on(
    "request",
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const received = read(receiver.secret, request.headers, Buffer.concat(chunks).toString());
        receiver.received.push(received);
        receiver.answer(response, received);
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  // A server on a port has an address of this form.
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `${tls === undefined ? "http" : "https"}://${host}:${receiver.port}/hook`;
  return receiver;
}

function read(secret: string, headers: IncomingHttpHeaders, body: string): Received {
  const { seq, type } = JSON.parse(body);
  const id = String(headers["webhook-id"]);
  return { id, seq, type, headers, verified: isVerified(secret, headers, body), body };
}

function isVerified(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
}
