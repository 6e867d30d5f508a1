import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { EventsInput } from "../events/followEvents";
import { DuedayError } from "../http/duedayError";
import type { DuedayEvent } from "../operationTypes";
import { useDueday } from "./DuedayProvider";
import { renewQueries } from "./renewQueries";

export type UseEventsOptions = EventsInput & {
  chainId?: number | undefined;
  /** False: no stream is open. */
  enabled?: boolean | undefined;
  /** Events kept in `events`. Default: 50. */
  limit?: number | undefined;
  /** Whether an event causes all shown answers to be requested again. Default: true. */
  renews?: boolean | undefined;
  /** Called with each event, in order. */
  onEvent?: ((event: DuedayEvent) => void) | undefined;
};

export type EventsState = {
  /** The latest first. */
  events: readonly DuedayEvent[];
  /** `connecting` while there is no connection, `open` while there is one, `failed` where waiting does not help: see `error`. */
  status: "connecting" | "open" | "failed";
  error: DuedayError | null;
};

const LIMIT = 50;
/** Events of one block arrive together: the shown answers are requested once for all of them. */
const RENEW_MS = 250;
const START: EventsState = { events: [], status: "connecting", error: null };

/**
 * Follows the chain's events while the component is mounted, and requests again the answers that other hooks show.
 *
 * @example
 * const { events, status } = useEvents({ types: ["payment.paid"], provider });
 */
export function useEvents({
  enabled = true,
  limit = LIMIT,
  renews = true,
  onEvent,
  ...stream
}: UseEventsOptions = {}): EventsState {
  const { dueday } = useDueday();
  const queryClient = useQueryClient();
  const [state, setState] = useState(START);
  const latest = useRef({ limit, renews, onEvent });
  latest.current = { limit, renews, onEvent };
  const key = JSON.stringify(stream);

  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const renew = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void renewQueries(queryClient);
      }, RENEW_MS);
    };
    const follow = async () => {
      // The key is this object as text, so that an equal one of the next rendering opens no other stream.
      const { chainId, ...input }: EventsInput & { chainId?: number } = JSON.parse(key);
      const onOpen = () => setState((before) => ({ ...before, status: "open", error: null }));
      const onClose = () => setState((before) => ({ ...before, status: "connecting" }));
      for await (const event of dueday.events(input, { signal, onOpen, onClose, chainId })) {
        latest.current.onEvent?.(event);
        if (latest.current.renews) renew();
        setState((before) => ({ ...before, events: [event, ...before.events].slice(0, latest.current.limit) }));
      }
    };
    setState(START);
    follow().catch((error: unknown) => {
      if (signal.aborted) return;
      const cause = DuedayError.is(error)
        ? error
        : new DuedayError("INVALID_ANSWER", "The events can't be followed", { cause: error });
      setState((before) => ({ ...before, status: "failed", error: cause }));
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [dueday, queryClient, key, enabled]);

  return state;
}
