import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import type { OutboxBounds } from "@dueday/db/outbox/readOutbox";
import { type OutboxRow, readOutboxRows } from "@dueday/db/outbox/readOutboxRows";
import type { ContractScope } from "@dueday/db/schema/columns";
import { LRUCache } from "lru-cache";

/** An event as it is sent to any number of streams: one copy in memory. */
export type Frame = Omit<OutboxRow, "body"> & { bytes: Uint8Array };

/** Why a stream that waits was woken. */
export type Wake = "events" | "beat" | "end";

/** The events of one chain for all streams of this process: each is read from the database once, whatever the number of streams. */
export type EventFeed = {
  /** Reads what is new, so that `lastSeq` is that of the database. */
  bounds(): Promise<OutboxBounds>;
  /** The seq of the newest event that was read. */
  lastSeq(): number;
  /** Some events after a seq, in order; null where they have been deleted. Below `lastSeq` there is at least one. */
  framesAfter(seq: number): Promise<readonly Frame[] | null>;
  /** Resolves at the next event, at the next beat, or when the streams have to end. */
  next(): Promise<Wake>;
  /** Called when the outbox has grown, or may have. */
  wake(): void;
  beat(): void;
  /** Ends all streams, now and later. */
  close(): void;
  /** Changes when the open streams have to end: their positions are no longer valid, or the feed is closed. */
  generation(): number;
};

/** The newest events stay in memory for the streams that are up to date. */
const TAIL_EVENTS = 1_000;
const TAIL_BYTES = 4 * 1024 * 1024;
/** Events read at once, and the most bytes of all pages that are kept for streams behind the tail. */
const PAGE_EVENTS = 100;
const PAGES_BYTES = 16 * 1024 * 1024;
/** Streams that are written to before other requests get a turn, and the length of that turn. A write takes some 23 µs here and 12 µs in nginx (docs/scaling.md). */
const WOKEN_AT_ONCE = 20;
const TURN_OF_OTHERS_MS = 1;

export function createEventFeed({
  database,
  scope,
  logger,
}: {
  database: Database;
  scope: ContractScope;
  logger: Logger;
}): EventFeed {
  /** The newest events, without a gap, up to `last`. */
  let tail: Frame[] = [];
  let tailBytes = 0;
  let last: number | null = null;
  let isClosed = false;
  let generation = 0;
  let isFailing = false;
  let waiting: ((wake: Wake) => void)[] = [];
  let reading: Promise<OutboxBounds> | null = null;
  let isStale = false;

  /** Whole pages, by their index: they never change. */
  const pages = new LRUCache<number, Frame[]>({ maxSize: PAGES_BYTES, sizeCalculation: sizeOf });
  const pageReads = new Map<number, Promise<Frame[]>>();

  /**
   * Wakes the streams that wait now, some at a time: a thousand at once would hold up every other request. The pauses also leave time for clients or a proxy on
   * the same processor.
   */
  function resolve(wake: Wake): void {
    const woken = waiting;
    waiting = [];
    const wakeFrom = (start: number) => {
      for (const each of woken.slice(start, start + WOKEN_AT_ONCE)) each(wake);
      if (start + WOKEN_AT_ONCE < woken.length) setTimeout(() => wakeFrom(start + WOKEN_AT_ONCE), TURN_OF_OTHERS_MS);
    };
    wakeFrom(0);
  }

  /** Reads up to the newest event. Calls that come meanwhile share the read that follows. */
  async function read(): Promise<OutboxBounds> {
    for (;;) {
      isStale = false;
      const after = last ?? Number.MAX_SAFE_INTEGER;
      const { rows, ...bounds } = await readOutboxRows(database, scope, { after, upTo: after + PAGE_EVENTS });
      if (last === null) last = bounds.lastSeq;
      else if (bounds.lastSeq < last || (bounds.lastSeq > last && rows[0]?.seq !== last + 1)) {
        // The database is another one, or events were pruned before they were read: streams end, so that readers get a valid position.
        reset(bounds.lastSeq);
      } else append(rows);
      if (last >= bounds.lastSeq && !isStale) return bounds;
    }
  }

  function append(rows: readonly OutboxRow[]): void {
    if (rows.length === 0) return;
    const frames = rows.map(toFrame);
    tail.push(...frames);
    tailBytes += sizeOf(frames);
    last = frames.at(-1)?.seq ?? last;
    let surplus = Math.max(0, tail.length - TAIL_EVENTS);
    tailBytes -= sizeOf(tail.slice(0, surplus));
    while (tailBytes > TAIL_BYTES && surplus < tail.length - 1) tailBytes -= tail[surplus++]?.bytes.length ?? 0;
    if (surplus > 0) tail = tail.slice(surplus);
    resolve("events");
  }

  function reset(lastSeq: number): void {
    last = lastSeq;
    tail = [];
    tailBytes = 0;
    pages.clear();
    generation++;
    resolve("end");
  }

  function share(): Promise<OutboxBounds> {
    isStale = true;
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  return {
    bounds: share,
    lastSeq: () => last ?? 0,
    async framesAfter(seq) {
      const [first] = tail;
      if (first !== undefined && seq + 1 >= first.seq) return tail.slice(seq + 1 - first.seq);
      return await framesOfPage(seq);
    },
    next: () => (isClosed ? Promise.resolve<Wake>("end") : new Promise<Wake>((wake) => waiting.push(wake))),
    wake() {
      // Before the first stream there is no reader for new events.
      if (last === null || isClosed) return;
      share().then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) logger.warn({ err: error, chainId: scope.chainId }, "new events can't be read; retrying");
          isFailing = true;
        },
      );
    },
    beat: () => resolve("beat"),
    close() {
      isClosed = true;
      generation++;
      resolve("end");
    },
    generation: () => generation,
  };

  async function framesOfPage(seq: number): Promise<readonly Frame[] | null> {
    const page = Math.floor(seq / PAGE_EVENTS);
    const frames = pages.get(page) ?? (await readPage(page));
    const index = frames.findIndex((frame) => frame.seq === seq + 1);
    return index === -1 ? null : frames.slice(index);
  }

  /** Streams that need the same page share its read. */
  async function readPage(page: number): Promise<Frame[]> {
    const running = pageReads.get(page);
    if (running !== undefined) return running;
    const after = page * PAGE_EVENTS;
    const read = readOutboxRows(database, scope, { after, upTo: after + PAGE_EVENTS }).then(({ rows }) =>
      rows.map(toFrame),
    );
    pageReads.set(page, read);
    try {
      const frames = await read;
      if (frames.length === PAGE_EVENTS) pages.set(page, frames);
      return frames;
    } finally {
      pageReads.delete(page);
    }
  }
}

const encoder = new TextEncoder();

function toFrame({ body, ...row }: OutboxRow): Frame {
  return { ...row, bytes: encoder.encode(`id: ${row.seq}\nevent: ${row.type}\ndata: ${body}\n\n`) };
}

function sizeOf(frames: readonly Frame[]): number {
  return frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
