import type { Clock } from "../clock";
import { createIncidents, type Incidents } from "./createIncidents";
import { createOutbox } from "./createOutbox";
import type { KeeperLog } from "./keeperLog";
import { notificationBody, notificationForm } from "./notificationForm";

export type Notifier = Pick<Incidents, "raise" | "resolve" | "existing"> & {
  announce(text: string): void;
  /** Sends what waits, at most one message a minute to each URL, until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** How many messages the receivers have accepted. */
  sent(): number;
};

export type NotifierOptions = {
  urls: readonly string[];
  clock: Clock;
  /** Gets a line when a receiver stops or resumes accepting messages, without its URL. */
  log: KeeperLog;
  /** Sends one message to one URL. Rejects if it was not accepted. */
  post?: (url: string, body: string) => Promise<void>;
};

/** Texts within this time are sent as one message. */
const GATHER_MS = 2_000;
const DEADLINE_MS = 10_000;

/** Sends messages to people: incidents and announcements, to each URL in the form of its service. */
export function createNotifier({ urls, clock, log, post = postJson }: NotifierOptions): Notifier {
  let sent = 0;
  const receivers = urls.map((url, index) => {
    const form = notificationForm(url);
    const name = `URL ${index + 1} of notify.urls`;
    const outbox = createOutbox({
      clock,
      form,
      async post(text) {
        await post(url, notificationBody(form, text, new Date(clock.wall()).toISOString()));
        sent++;
      },
      onTaken(isTaken) {
        if (isTaken) log("info", `${name} takes messages again`);
        else log("warn", `${name} does not take messages: they wait, and are sent again`);
      },
    });
    return { name, outbox };
  });

  function announce(text: string): void {
    for (const { outbox } of receivers) outbox.add(text);
  }

  const incidents = createIncidents({ clock, say: announce });
  const flush = () => Promise.all(receivers.map(({ outbox }) => outbox.flush()));
  return {
    raise: incidents.raise,
    resolve: incidents.resolve,
    existing: incidents.existing,
    announce,
    sent: () => sent,
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(GATHER_MS);
        incidents.check();
        await flush();
      }
      incidents.check(true);
      await flush();
      for (const { name, outbox } of receivers) {
        const lines = outbox.waiting();
        if (lines > 0) log("warn", `${lines} lines for ${name} were not sent before the end; the log has them`);
      }
    },
  };
}

async function postJson(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}
