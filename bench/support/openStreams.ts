import { type Static, Type } from "@sinclair/typebox";
import { quantile } from "./quantile";

/** Arrivals of events over all streams, and their delay in milliseconds. An event's description is the time at which it was sent. */
export const StreamReport = Type.Object({ events: Type.Integer(), median: Type.Number(), p99: Type.Number() });
export type StreamReport = Static<typeof StreamReport>;

/** Streams that are opened at a time: nginx accepts this number of connects in its queue. */
const AT_ONCE = 100;

/**
 * Opens `count` streams of events in this process, each for a client with its own address behind a proxy. Returns a URL that answers every request
 * with a `StreamReport`.
 */
export async function openStreams(url: string, count: number, path = "/events"): Promise<string> {
  let events = 0;
  const durations: number[] = [];
  const note = (text: string) => {
    const now = Date.now();
    events += text.split("\nevent: ").length - 1;
    for (const [, sent] of text.matchAll(/"profile":\{"description":"(\d+)"/g)) durations.push(now - Number(sent));
  };
  for (let first = 0; first < count; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => first + index);
    await Promise.all(indexes.map((index) => openStream(url + path, index, note)));
  }
  const report = (): StreamReport => ({ events, median: quantile(durations, 0.5), p99: quantile(durations, 0.99) });
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(report()) }).url.href;
}

async function openStream(url: string, index: number, note: (text: string) => void): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url);
  const opened = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        const text = bytes.toString();
        if (text.startsWith("HTTP/1.1 200 ")) opened.resolve();
        else if (text.startsWith("HTTP/")) opened.reject(new Error(`stream ${index}: ${text.slice(-400)}`));
        note(text);
      },
      close: () => opened.reject(new Error("a stream was closed")),
    },
  });
  const from = `198.18.${index >> 8}.${index & 255}`;
  const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: bench.example\r\nAccept: text/event-stream\r\n`;
  socket.write(`${head}X-Forwarded-For: ${from}\r\n\r\n`);
  await opened.promise;
}
