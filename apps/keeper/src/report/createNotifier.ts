import type { Clock } from "../clock";
import { notificationBody } from "./notificationForms";

export type Notifier = {
  /** Notifies once, until the incident is resolved. @returns whether it is new */
  raise(incident: string, text: string): boolean;
  /** Notifies that an incident is over; nothing happens where it was not raised. @returns whether it was */
  resolve(incident: string, text: string): boolean;
  announce(text: string): void;
  /** Sends what waits, at most one message a minute, until `stop`. Then sends the last one if the minute has passed. */
  run(signal: AbortSignal): Promise<void>;
  /** How many messages were sent. */
  sent(): number;
};

export type NotifierOptions = {
  urls: readonly string[];
  clock: Clock;
  /** Sends one message to one URL. Rejects where it was not taken. */
  post?: (url: string, body: string) => Promise<void>;
  /** Called when a message could not be delivered; without URL. */
  onFailure(message: string): void;
};

const LEAST_PAUSE_MS = 60_000;
/** What happens together is one message. */
const GATHER_MS = 2_000;
const DEADLINE_MS = 10_000;
const MOST_LINES = 40;
const MOST_TRIES = 5;

/** Sends messages to people: lines that come within a minute of the last message wait, and go together. */
export function createNotifier({ urls, clock, post = postJson, onFailure }: NotifierOptions): Notifier {
  const raised = new Set<string>();
  let lines: string[] = [];
  let sent = 0;
  let lastAt = Number.NEGATIVE_INFINITY;

  function add(text: string): void {
    if (urls.length === 0) return;
    lines.push(text);
    // The oldest go first: the log has all of them.
    if (lines.length > MOST_LINES)
      lines = [`(${lines.length - MOST_LINES} older lines are in the log)`, ...lines.slice(1 - MOST_LINES)];
  }

  async function flush(): Promise<void> {
    if (lines.length === 0 || clock.elapsed() - lastAt < LEAST_PAUSE_MS) return;
    const text = lines.join("\n");
    lines = [];
    sent++;
    const time = new Date(clock.wall()).toISOString();
    await Promise.all(
      urls.map((url, index) => deliver(url, index, JSON.stringify(notificationBody(url, { text, time })))),
    );
    lastAt = clock.elapsed();
  }

  async function deliver(url: string, index: number, body: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await post(url, body);
      } catch {
        if (tries === MOST_TRIES) return onFailure(`a message was not delivered to URL ${index + 1} of notify.urls`);
        await clock.sleep(LEAST_PAUSE_MS);
      }
    }
  }

  return {
    raise(incident, text) {
      if (raised.has(incident)) return false;
      raised.add(incident);
      add(text);
      return true;
    },
    resolve(incident, text) {
      const wasRaised = raised.delete(incident);
      if (wasRaised) add(text);
      return wasRaised;
    },
    announce: add,
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(GATHER_MS);
        await flush();
      }
      await flush();
    },
    sent: () => sent,
  };
}

async function postJson(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    ...{ method: "POST", headers: { "Content-Type": "application/json" }, body, redirect: "error" },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}
