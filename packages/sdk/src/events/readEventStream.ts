import { createParser } from "eventsource-parser";
import { DuedayError } from "../http/duedayError";

/**
 * A part of a stream of server-sent events. `retry` is the pause that the service wants before a reconnect, `position` the `seq`
 * after which the stream begins.
 */
export type StreamPart =
  | { kind: "event"; data: string }
  | { kind: "retry"; milliseconds: number }
  | { kind: "position"; seq: number };

/** The service sends a comment every 15 s: after three missing ones the connection is dead. */
const SILENCE_MS = 45_000;

/**
 * The parts of a `text/event-stream` body, until it ends.
 *
 * @throws DuedayError NETWORK_ERROR when it breaks, or is silent for 45 s; INVALID_ANSWER when the response has another content type
 */
export async function* readEventStream(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamPart, void, undefined> {
  if (response.body === null || response.headers.get("Content-Type")?.startsWith("text/event-stream") !== true) {
    await response.body?.cancel();
    throw new DuedayError("INVALID_ANSWER", "The answer is not a stream of events", { status: response.status });
  }
  const parts: StreamPart[] = [];
  const parser = createParser({
    onEvent: ({ data }) => parts.push({ kind: "event", data }),
    onRetry: (milliseconds) => parts.push({ kind: "retry", milliseconds }),
    onComment(comment) {
      const seq = /^\s*seq (\d+)$/.exec(comment)?.[1];
      if (seq !== undefined) parts.push({ kind: "position", seq: Number(seq) });
    },
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, SILENCE_MS);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* parts.splice(0);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DuedayError) throw error;
    throw new DuedayError("NETWORK_ERROR", "The stream of events broke", { cause: error });
  } finally {
    // Also if the consumer has left the loop. Cancelling fails if the connection is already broken.
    await reader.cancel().catch(() => undefined);
  }
}

async function readWithin(reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">, milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const error = new DuedayError("NETWORK_ERROR", `The stream of events was silent for ${milliseconds / 1000} s`);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
