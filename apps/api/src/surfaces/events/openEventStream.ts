import type { EventFilter } from "@dueday/db/outbox/readOutbox";
import { passes } from "@dueday/db/outbox/readOutboxRows";
import type { EventFeed, Frame } from "./createEventFeed";

export type EventStreamOptions = {
  feed: EventFeed;
  filter: EventFilter;
  /** A seq: the first event that is sent is the one after it. */
  after: number;
  /** Why the stream has to end, once it has to: it is then sent as a comment, and nothing follows. */
  endReason(): string | null;
  /** Called once, when either side has ended the stream. */
  onEnd(): void;
};

/**
 * Sent at once, because a server sends the head of an answer with its first bytes. It names the position, so that a reader whose connection
 * breaks before its first event resumes from there: in `id` for EventSource, and in a comment for parsers that show an id only with its event.
 */
const opening = (position: number) => `retry: 2000\n\n: seq ${position}\nid: ${position}\n\n`;
const COMMENT = ": still here\n\n";
const closing = (reason: string) => `: ended: ${reason}\n\n`;
/** Bytes handed to the socket at a time. */
const CHUNK_BYTES = 64 * 1024;
/** A stream that was up to date and is now more than this number of events behind is ended: its reader resumes from what it has. */
const MOST_BEHIND = 10_000;

/**
 * The events of a feed as a stream of server-sent events. The stream stores a position, not a queue: events are taken from the feed when
 * the socket can send them, so a reader that does not read takes only the memory of the socket's buffer.
 */
export function openEventStream({
  feed,
  filter,
  after,
  endReason,
  onEnd,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const generation = feed.generation();
  let position = after;
  let isOpening = true;
  let wasCurrent = false;
  let hasEnded = false;
  let isClosing = false;

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
  }

  /** The next bytes; null at the end of the stream. */
  async function read(): Promise<Uint8Array | null> {
    if (isOpening) {
      isOpening = false;
      return encoder.encode(opening(position));
    }
    while (!hasEnded && !isClosing && feed.generation() === generation) {
      const reason = endReason();
      if (reason !== null) {
        isClosing = true;
        return encoder.encode(closing(reason));
      }
      const behind = feed.lastSeq() - position;
      if (behind <= 0) {
        wasCurrent = true;
        const wake = await feed.next();
        if (wake === "end") return null;
        if (wake === "beat") return encoder.encode(COMMENT);
        continue;
      }
      if (wasCurrent && behind > MOST_BEHIND) return null;
      const frames = await feed.framesAfter(position);
      if (frames === null) return null;
      const { passed, end } = take(frames, filter);
      position = end;
      if (passed.length > 0) return concat(passed);
    }
    return null;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await read().catch(() => null);
        if (hasEnded) return;
        if (bytes !== null) return controller.enqueue(bytes);
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** The first frames that pass the filter, up to a chunk, and the seq of the last frame that was checked. */
function take(frames: readonly Frame[], filter: EventFilter) {
  const passed: Uint8Array[] = [];
  let [bytes, end] = [0, 0];
  for (const frame of frames) {
    if (bytes >= CHUNK_BYTES) break;
    end = frame.seq;
    if (!passes(filter, frame)) continue;
    passed.push(frame.bytes);
    bytes += frame.bytes.length;
  }
  return { passed, end };
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}
