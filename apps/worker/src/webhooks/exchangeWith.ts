import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createResponseReader, type EndpointResponse, ResponseError } from "./createResponseReader";

/** A signed request to an endpoint. */
export type WebhookMessage = { url: string; headers: Readonly<Record<string, string>>; body: string };

export type ExchangeOptions = {
  /** Certificates to trust instead of the system's, PEM. */
  certificates: string | undefined;
  /** Aborted when the outcome is no longer needed. */
  over: AbortSignal;
};

/** `unreachable`: no connection was made, so nothing was sent. */
export type Exchanged =
  | { response: EndpointResponse }
  | { failure: "TLS" | "CONNECTION" | "RESPONSE"; unreachable: boolean };

/** Time for the connection to one address, if another one is left to try. */
const CONNECT_MS = 4_000;

/**
 * Sends a message over a new connection to one of these addresses, and reads the response. A kept connection could lead to an address that
 * was public only when it was opened. Every received byte is counted, which no HTTP client of the runtime does.
 */
export async function exchangeWith(
  url: URL,
  addresses: readonly string[],
  message: WebhookMessage,
  options: ExchangeOptions,
): Promise<Exchanged> {
  let last: Exchanged = { failure: "CONNECTION", unreachable: true };
  for (const [index, address] of addresses.entries()) {
    if (options.over.aborted) break;
    const isLast = index === addresses.length - 1;
    last = await exchange(url, address, message, { ...options, connectMs: isLast ? null : CONNECT_MS });
    // After a connection was made, the message is not sent to another address.
    if (!("unreachable" in last) || !last.unreachable) break;
  }
  return last;
}

function exchange(
  url: URL,
  address: string,
  message: WebhookMessage,
  { certificates, over, connectMs }: ExchangeOptions & { connectMs: number | null },
): Promise<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>();
  const reader = createResponseReader();
  let isConnected = false;
  const connected = () => {
    isConnected = true;
    clearTimeout(patience);
    socket.write(requestOf(url, message));
  };
  const socket = open(url, address, { certificates, connected });
  const finish = (outcome: Exchanged) => {
    clearTimeout(patience);
    over.removeEventListener("abort", give);
    resolve(outcome);
    socket.destroy();
  };
  const fail = (error?: unknown) => {
    if (error instanceof ResponseError) return finish({ failure: error.code, unreachable: false });
    const isTls = error instanceof Error && isTlsError(error);
    finish({ failure: isTls ? "TLS" : "CONNECTION", unreachable: !isConnected && !isTls });
  };
  const give = () => fail();
  const patience = connectMs === null ? undefined : setTimeout(give, connectMs);
  over.addEventListener("abort", give);
  const read = (take: () => EndpointResponse | null) => {
    try {
      const response = take();
      if (response !== null) finish({ response });
    } catch (error) {
      fail(error);
    }
  };
  socket.on("data", (bytes: Buffer) => read(() => reader.push(bytes)));
  socket.on("end", () => read(reader.end));
  socket.on("error", fail);
  // `close` follows in every case; an earlier outcome stays.
  socket.on("close", () => fail());
  return promise;
}

function open(
  { protocol, hostname, port }: URL,
  address: string,
  { certificates, connected }: { certificates: string | undefined; connected: () => void },
): Socket {
  if (protocol === "http:") return connectTcp({ host: address, port: Number(port || 80) }, connected);
  const name = hostname.replace(/^\[|\]$/g, "");
  return connectTls(
    {
      host: address,
      port: Number(port || 443),
      ALPNProtocols: ["http/1.1"],
      // The certificate has to be that of the URL's name, whatever the address.
      ...(isIP(name) === 0 && { servername: name }),
      ...(certificates !== undefined && { ca: certificates }),
    },
    connected,
  );
}

/** The URL was parsed, so its path has no line break; the headers are this service's own. */
function requestOf({ host, pathname, search }: URL, { headers, body }: WebhookMessage): string {
  const fields = { Host: host, Connection: "close", ...headers, "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function isTlsError(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code);
}
