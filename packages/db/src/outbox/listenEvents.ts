import { Value } from "@sinclair/typebox/value";
import { type ListenChannelOptions, listenChannel } from "../listenChannel";
import { EVENT_CHANNEL, EventMessage } from "./eventChannel";

export type ListenEventsOptions = Omit<ListenChannelOptions, "channel" | "action" | "onMessage"> & {
  /** An outbox has grown. */
  onEvents(message: EventMessage): void;
};

/** Listens for new events until `close()`. After `onConnect`, read what was written before. */
export function listenEvents({ onEvents, ...options }: ListenEventsOptions): { close(): Promise<void> } {
  return listenChannel({
    ...options,
    channel: EVENT_CHANNEL,
    action: "listen for events",
    onMessage(text) {
      const message = parseMessage(text);
      if (message !== null) onEvents(message);
    },
  });
}

/** Null for a message that `appendEvents` did not send. */
function parseMessage(text: string): EventMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(EventMessage, value) ? value : null;
  } catch {
    return null;
  }
}
