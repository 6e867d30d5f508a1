import type { Clock } from "../clock";
import type { NotificationForm } from "./notificationForm";

/** Lines that wait for one receiver. */
export type Outbox = {
  add(text: string): void;
  /** Sends what waits, if a message may be sent now. Never rejects. */
  flush(): Promise<void>;
  /** How many lines wait. */
  waiting(): number;
};

export type OutboxOptions = {
  clock: Clock;
  form: NotificationForm;
  /** Rejects if the message was not accepted. */
  post(text: string): Promise<void>;
  /** Called with false after several messages in a row were not accepted, and with true when one is accepted again. */
  onTaken(isTaken: boolean): void;
};

/** `at`: unix milliseconds of the first time. */
type Line = { text: string; at: number; times: number };

/** Never more than one message a minute. */
const LEAST_PAUSE_MS = 60_000;
/** Messages in a row; then one for each further quarter of an hour: at most nine in any hour. */
const BURST = 5;
const PAUSE_AFTER_BURST_MS = 15 * 60_000;
const LONGEST_RETRY_MS = 3_600_000;
const FAILURES_TO_REPORT = 3;
/** The most lines that are kept while no message may be sent, or none is accepted. The log has all lines. */
const MOST_LINES = 200;

/** Sends lines to one receiver, several in a message and at a pace for people. Lines that are not accepted are sent with the next message. */
export function createOutbox({ clock, form, post, onTaken }: OutboxOptions): Outbox {
  let lines: Line[] = [];
  /** Lines that were dropped because too many waited. */
  let dropped = 0;
  let credit = BURST;
  let creditAt = clock.elapsed();
  let nextAt = creditAt;
  let failures = 0;

  function keep(kept: Line[]): void {
    dropped += Math.max(0, kept.length - MOST_LINES);
    lines = kept.slice(-MOST_LINES);
  }

  function maySend(now: number): boolean {
    credit = Math.min(BURST, credit + (now - creditAt) / PAUSE_AFTER_BURST_MS);
    creditAt = now;
    return lines.length > 0 && now >= nextAt && credit >= 1;
  }

  return {
    waiting: () => lines.length,
    add(text) {
      const same = lines.find((line) => line.text === text);
      if (same === undefined) keep([...lines, { text, at: clock.wall(), times: 1 }]);
      else same.times++;
    },
    async flush() {
      if (!maySend(clock.elapsed())) return;
      const sending = lines;
      lines = [];
      try {
        await post(compose(sending, { now: clock.wall(), dropped, form }));
        if (failures >= FAILURES_TO_REPORT) onTaken(true);
        [failures, dropped] = [0, 0];
        credit--;
        nextAt = clock.elapsed() + LEAST_PAUSE_MS;
      } catch {
        keep([...sending, ...lines]);
        failures++;
        if (failures === FAILURES_TO_REPORT) onTaken(false);
        nextAt = clock.elapsed() + Math.min(LEAST_PAUSE_MS * 2 ** (failures - 1), LONGEST_RETRY_MS);
      }
    },
  };
}

type Message = { now: number; dropped: number; form: NotificationForm };

/** The lines as one message. Where it would be too long for its receiver, the oldest are left out and counted. */
function compose(lines: readonly Line[], { now, dropped, form }: Message): string {
  const texts = lines.map((line) => textOf(line, now));
  for (let from = 0; ; from++) {
    const hidden = dropped + from;
    const head = hidden === 0 ? [] : [`(${hidden} older lines are in the log)`];
    const text = [...head, ...texts.slice(from)].join("\n");
    if (from >= texts.length - 1 || form.escape(text).length <= form.longest) return text;
  }
}

/** A line that has waited begins with its time. */
function textOf({ text, at, times }: Line, now: number): string {
  const time = now - at > LEAST_PAUSE_MS ? `${new Date(at).toISOString().slice(11, 16)} UTC ` : "";
  return `${time}${text}${times === 1 ? "" : ` (${times} times)`}`;
}
