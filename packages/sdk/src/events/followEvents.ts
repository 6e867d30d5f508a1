import type { CallOptions } from "../callOptions";
import { DuedayError } from "../http/duedayError";
import { parseObject } from "../http/readError";
import type { DuedayEvent, EventType } from "../operationTypes";
import { sleep } from "../sleep";
import { readEventStream } from "./readEventStream";

/** Which events to follow, and from where. */
export type EventsInput = {
  /** Default: all types. */
  types?: readonly EventType[] | undefined;
  /** Id of a subscription. */
  subscription?: string | undefined;
  provider?: string | undefined;
  subscriber?: string | undefined;
  /** Begin with the first event after this `seq`, for example the last one that you have stored. Default: begin now. */
  after?: number | undefined;
};

export type EventsOptions = CallOptions & {
  /** Called each time a stream is open: at the start, and after each reconnect. */
  onOpen?: (() => void) | undefined;
  /** Called each time a stream has ended or could not be opened, before the pause until the next one: no events arrive. */
  onClose?: (() => void) | undefined;
};

/** Opens one stream, from the first event after `after`. */
export type OpenStream = (after: number | undefined) => Promise<Response>;

const RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;
/** Failures that waiting does not end. Too many streams (429), and a service that restarts or is unreachable, are waited for. */
function isFinal({ code, status }: DuedayError): boolean {
  if (code === "NETWORK_ERROR" || code === "TIMEOUT") return false;
  return status === null || (status < 500 && status !== 429);
}

/**
 * All events after `after`, through any number of connections: each stream begins after the last event that was yielded. Ends
 * when the signal aborts.
 *
 * @throws DuedayError for failures that waiting does not end, such as EVENTS_GONE (410): `after` is older than what the service keeps,
 * or above the last event
 */
export async function* followEvents(
  open: OpenStream,
  { after, signal, onOpen, onClose }: Pick<EventsInput, "after"> & Pick<EventsOptions, "signal" | "onOpen" | "onClose">,
  wait: typeof sleep = sleep,
): AsyncGenerator<DuedayEvent, void, undefined> {
  let last = after;
  let retryMs = RETRY_MS;
  let failures = 0;
  while (!isAborted(signal)) {
    let pauseMs: number;
    try {
      const response = await open(last);
      onOpen?.();
      for await (const part of readEventStream(response, signal)) {
        failures = 0;
        if (part.kind === "retry") retryMs = Math.min(part.milliseconds, LONGEST_RETRY_MS);
        // A reader that began now resumes from there, even if the connection breaks before the first event.
        if (part.kind === "position") last ??= part.seq;
        if (part.kind !== "event") continue;
        const event = readEvent(part.data);
        // The service sends only events after `after`. A service that repeats one after a reconnect must not make the caller see it twice.
        if (last !== undefined && event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
      pauseMs = retryMs;
    } catch (error) {
      if (isAborted(signal)) return;
      if (!(error instanceof DuedayError) || isFinal(error)) throw error;
      failures++;
      pauseMs = Math.max(Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS), (error.retryAfter ?? 0) * 1000);
    }
    onClose?.();
    try {
      // A random part, so that the clients of a service that restarted do not return together.
      await wait(pauseMs * (0.75 + Math.random() / 2), signal);
    } catch {
      return; // aborted
    }
  }
}

/** Asked each time: it changes while the caller waits. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function readEvent(data: string): DuedayEvent {
  const event = parseObject(data);
  if (event === null || !Number.isSafeInteger(event.seq) || typeof event.id !== "string") {
    throw new DuedayError(
      "INVALID_ANSWER",
      "The stream has an event without seq and id: it is not one of a Dueday service",
    );
  }
  // The rest is documented by the service with its types.
  return event as unknown as DuedayEvent;
}
