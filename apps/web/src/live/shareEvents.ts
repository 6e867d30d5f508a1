import { type Dueday, DuedayError, type DuedayEvent } from "@dueday/sdk";

/** `broken`: the stream has ended, and another one is tried; `failed`: it was refused, and is not tried again. */
export type LiveStatus = "connecting" | "open" | "broken" | "failed";

type Message =
  | { kind: "event"; event: DuedayEvent }
  | { kind: "status"; status: LiveStatus }
  | { kind: "gap" }
  | { kind: "hello" };

export type SharedEvents = {
  chainId: number;
  /** Called with each event, in the tab that follows them and in the others. */
  onEvent(event: DuedayEvent): void;
  onStatus(status: LiveStatus): void;
  /** Called where events were missed: all that is shown may be old. */
  onGap(): void;
  signal: AbortSignal;
};

/**
 * Follows a chain's events with one stream for all tabs of a browser: an address may hold three. The tab that has the lock follows
 * them and passes them on; when it is closed, the next one continues after the last event that it has seen.
 */
export function shareEvents(
  dueday: Pick<Dueday, "events">,
  { chainId, onEvent, onStatus, onGap, signal }: SharedEvents,
): void {
  const name = `dueday-events-${chainId}`;
  const channel = new BroadcastChannel(name);
  let last: number | undefined;
  let status: LiveStatus = "connecting";
  let leads = false;

  const take = (event: DuedayEvent) => {
    last = event.seq;
    onEvent(event);
  };
  const report = (next: LiveStatus) => {
    status = next;
    onStatus(next);
  };
  const send = (message: Message) => channel.postMessage(message);

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "event") take(data.event);
    if (data.kind === "status") report(data.status);
    if (data.kind === "gap") onGap();
    // A tab that has just been opened asks how things are.
    if (data.kind === "hello" && leads) send({ kind: "status", status });
  };

  async function follow(): Promise<void> {
    leads = true;
    const announce = (next: LiveStatus) => {
      report(next);
      send({ kind: "status", status: next });
    };
    const onOpen = () => announce("open");
    const onClose = () => announce("broken");
    try {
      const input = last === undefined ? {} : { after: last };
      for await (const event of dueday.events(input, { signal, onOpen, onClose })) {
        take(event);
        send({ kind: "event", event });
      }
    } catch (error) {
      if (signal.aborted) return;
      // The browser slept for longer than events are kept, or the service has another database: what follows is read from now on.
      if (last !== undefined && DuedayError.is(error, "EVENTS_GONE")) {
        last = undefined;
        onGap();
        send({ kind: "gap" });
        return follow();
      }
      // Shown in the badge: the page still works, and asks again when it is focused.
      announce("failed");
    }
  }

  signal.addEventListener("abort", () => channel.close(), { once: true });
  send({ kind: "hello" });
  // The lock is held until the tab is closed or the chain changes. Without locks (plain http on another host) each tab has a stream.
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) void follow();
  else locks.request(name, { signal }, follow).catch(() => undefined); // aborted while it waited
}
