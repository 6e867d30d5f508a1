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
  /** Called with each event, in the tab that holds the stream and in the other tabs. */
  onEvent(event: DuedayEvent): void;
  onStatus(status: LiveStatus): void;
  /** Called after events were missed: every shown answer may be old. */
  onGap(): void;
  signal: AbortSignal;
};

/**
 * Follows a chain's events with one stream for all tabs of a browser, because an address may hold only three streams. The tab that has
 * the lock holds the stream and passes the events on. When it is closed, the next tab continues after the last event that it received.
 */
export function shareEvents(
  dueday: Pick<Dueday, "events">,
  { chainId, onEvent, onStatus, onGap, signal }: SharedEvents,
): void {
  const name = `dueday-events-${chainId}`;
  // Without locks (plain http on a host other than localhost) each tab has its own stream, so a fourth tab gets events only when another is closed.
  const locks: LockManager | undefined = navigator.locks;
  const channel = locks === undefined ? null : new BroadcastChannel(name);
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
  const send = (message: Message) => channel?.postMessage(message);

  const hear = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "event") take(data.event);
    if (data.kind === "status") report(data.status);
    if (data.kind === "gap") onGap();
    // A tab that has just been opened asks for the status.
    if (data.kind === "hello" && leads) send({ kind: "status", status });
  };
  channel?.addEventListener("message", hear);

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
      // The browser slept for longer than events are kept, or the service has another database: start from now.
      if (last !== undefined && DuedayError.is(error, "EVENTS_GONE")) {
        last = undefined;
        onGap();
        send({ kind: "gap" });
        return follow();
      }
      // The badge shows it. The page still works, and asks for answers again when it gets the focus.
      announce("failed");
    }
  }

  signal.addEventListener("abort", () => channel?.close(), { once: true });
  send({ kind: "hello" });
  // The lock is held until the tab is closed or the chain changes.
  if (locks === undefined) void follow();
  else locks.request(name, { signal }, follow).catch(() => undefined); // aborted while it waited for the lock
}
