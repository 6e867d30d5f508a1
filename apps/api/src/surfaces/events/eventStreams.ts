import type { Logger } from "@dueday/config/createLogger";
import { validationError } from "@dueday/core/errors";
import type { Database } from "@dueday/db/connectDatabase";
import { listenEvents } from "@dueday/db/outbox/listenEvents";
import { toServiceError } from "../../answers/toServiceError";
import type { ServedChain } from "../../chains/servedChain";
import { callerOf, type Exchange } from "../../http/exchange";
import type { Route } from "../../http/routes";
import { giveBackRoute } from "../../http/takeBeside";
import type { Limiter } from "../../limits/limiter";
import { eventStreams as policy } from "../../limits/policy";
import { checkInput } from "../../operation/checkInput";
import { eventsGone, listEvents, toEventFilter } from "../../operations/events/listEvents";
import { foreignDatabase } from "../../snapshots/verifyDatabase";
import { gatherInput } from "../rest/gatherInput";
import { createAccessWatch } from "./createAccessWatch";
import { createEventFeed, type EventFeed } from "./createEventFeed";
import { openEventStream } from "./openEventStream";
import { createStreamSlots } from "./streamSlots";

export type EventStreams = {
  /** The routes, with GET /events answering `Accept: text/event-stream` with a stream. */
  addTo(routes: readonly Route[]): Route[];
  /** Streams that are open. */
  open(): number;
  /** Ends all streams, and every later one at once. */
  end(): void;
  /** Stops listening. */
  close(): Promise<void>;
};

export type EventStreamsOptions = {
  database: Database;
  /** For the connection that listens. */
  databaseUrl: string;
  logger: Logger;
  limiter: Limiter;
  chains: readonly ServedChain[];
  /** Unix milliseconds. */
  clock: () => number;
  /** Milliseconds between two comments in a stream that has no events, and between two checks of keys and sessions. Default 15 s. */
  beatMs?: number | undefined;
};

const STREAM_TYPE = "text/event-stream";
const BEAT_MS = 15_000;
/** A notification may be lost, or the listener disconnected. */
const POLL_MS = 5_000;
const SEQ = /^(?:0|[1-9][0-9]{0,15})$/;

/** The event streams of a process: one listener, and for each chain one reader of the outbox that all streams share. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { database, databaseUrl, logger, limiter, chains, clock, beatMs = BEAT_MS } = options;
  const feeds = new Map<number, EventFeed>(
    chains.map(({ config }) => [config.chainId, createEventFeed({ database, scope: config, logger })]),
  );
  const slots = createStreamSlots();
  const access = createAccessWatch(database, clock);
  const wakeAll = () => {
    for (const feed of feeds.values()) feed.wake();
  };
  const listener = listenEvents({
    url: databaseUrl,
    onEvents: ({ chainId }) => feeds.get(chainId)?.wake(),
    onConnect: wakeAll,
    onDisconnect: (error) => logger.warn({ err: error }, "notifications of new events do not arrive; polling"),
  });
  const poll = setInterval(wakeAll, POLL_MS);
  const beat = setInterval(() => {
    for (const feed of feeds.values()) feed.beat();
    checkAccess();
  }, beatMs);
  let checking: Promise<void> | null = null;

  /** A stream sends its reason to end with the next beat. While the database is away, streams stay open, as known keys go on working. */
  function checkAccess(): void {
    checking ??= access
      .check()
      .catch((err: unknown) => logger.warn({ err }, "the keys and sessions of open streams can't be checked; retrying"))
      .finally(() => {
        checking = null;
      });
  }

  function end(): void {
    clearInterval(poll);
    clearInterval(beat);
    for (const feed of feeds.values()) feed.close();
  }

  /** A request that gets no slot takes nothing from its buckets either. */
  async function takeSlot(exchange: Exchange): Promise<() => void> {
    try {
      return slots.take(callerOf(exchange));
    } catch (error) {
      await giveBackRoute(limiter, exchange);
      throw error;
    }
  }

  async function answer(exchange: Exchange): Promise<Response> {
    const input = checkInput(listEvents, gatherInput(listEvents, exchange, {}));
    // Of the parts of `input` that a stream uses, `checkInput` has checked each.
    const { after, ...filter } = input as Parameters<typeof toEventFilter>[0] & { after?: number };
    const feed = feeds.get(exchange.chain.config.chainId);
    if (feed === undefined) throw new Error("every served chain has a feed");
    if (exchange.method === "HEAD") return respond(null);
    const { refusal } = exchange.chain.snapshots;
    if (refusal() !== null) throw foreignDatabase();
    const from = lastEventId(exchange) ?? after;
    const giveSlotBack = await takeSlot(exchange);
    const watched = access.add(callerOf(exchange));
    const giveBack = () => {
      giveSlotBack();
      watched.remove();
    };
    try {
      const position = await startAfter(feed, from);
      const { request, peers } = exchange;
      request.signal.addEventListener("abort", giveBack);
      peers.timeout(request, policy.deadlineSeconds);
      // The database may turn out to be another chain's after the stream was opened.
      const endReason = () => (refusal() === null ? watched.endReason() : foreignDatabase().message);
      const options = { feed, filter: toEventFilter(filter), after: position, endReason, onEnd: giveBack };
      return respond(openEventStream(options));
    } catch (error) {
      giveBack();
      throw toServiceError(error);
    }
  }

  return {
    addTo: (routes) =>
      routes.map((route) => {
        if (route.operation?.name !== listEvents.name) return route;
        return {
          ...route,
          answer: (exchange) => (wantsStream(exchange) ? answer(exchange) : answerPage(route, exchange)),
        };
      }),
    open: slots.open,
    end,
    async close() {
      end();
      await Promise.all([listener.close(), checking]);
    },
  };
}

async function answerPage(route: Route, exchange: Exchange): Promise<Response> {
  const response = await route.answer(exchange);
  response.headers.set("Vary", "Accept");
  return response;
}

function respond(body: ReadableStream<Uint8Array> | null): Response {
  // nginx would collect the events of a stream otherwise.
  const headers = { "Content-Type": `${STREAM_TYPE}; charset=utf-8`, "X-Accel-Buffering": "no", Vary: "Accept" };
  return new Response(body, { headers });
}

function wantsStream({ request }: Exchange): boolean {
  const accepted = request.headers.get("accept")?.toLowerCase().split(",") ?? [];
  return accepted.some((each) => each.split(";")[0]?.trim() === STREAM_TYPE);
}

/** What a browser sends when it reconnects: the id of the last event that it received. */
function lastEventId({ request }: Exchange): number | undefined {
  const text = request.headers.get("last-event-id");
  if (text === null || text === "") return undefined;
  if (SEQ.test(text)) return Number(text);
  throw validationError("Last-Event-ID", "MALFORMED", "must be the id of an event: a seq such as 1250");
}

/** The position to begin at: now, where no event is named. @throws ServiceError EVENTS_GONE */
async function startAfter(feed: EventFeed, after: number | undefined): Promise<number> {
  const bounds = await feed.bounds();
  if (after === undefined) return feed.lastSeq();
  if (after < bounds.oldestSeq - 1 || after > bounds.lastSeq) throw eventsGone(after, bounds);
  return after;
}
