import { type ListenOptions, listenChannel } from "../listenChannel";
import { EVENT_CHANNEL, EventMessage } from "./eventChannel";

export type ListenEventsOptions = ListenOptions & {
  /** An outbox has grown. */
  onEvents(message: EventMessage): void;
};

/** Listens for new events until `close()`. After `onConnect`, read what was written before. */
export function listenEvents({ onEvents, ...options }: ListenEventsOptions): { close(): Promise<void> } {
  return listenChannel({
    ...options,
    channel: EVENT_CHANNEL,
    action: "listen for events",
    schema: EventMessage,
    onMessage: onEvents,
  });
}
