import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { Clock } from "../clock";

export type Incidents = {
  /** Notes that an incident exists. @returns whether it is new, or has come back */
  raise(name: string, text: string): boolean;
  /** Notes that an incident does not exist, or has gone. @returns whether it existed */
  resolve(name: string, text: string): boolean;
  /** Announces the ends that have become due since the last call. `isLast`: also ends whose hold-off is not over. */
  check(isLast?: boolean): void;
  /** The latest text of each incident that exists now, with its history. */
  existing(): string[];
};

type Incident = {
  text: string;
  /** The text that announces its end. */
  over: string;
  /** Unix milliseconds, for people. */
  beganAt: number;
  /** How often it has come. */
  times: number;
  /** When it disappeared; null while it exists. */
  goneSince: number | null;
  holdOffMs: number;
};

/** An incident is over when it has not been seen for this time. */
const FIRST_HOLD_OFF_MS = 15 * 60_000;
/** The time doubles each time the incident begins again within a day after it was over, up to this: less than 20 messages in any day, however it flaps. */
const LONGEST_HOLD_OFF_MS = 6 * 3_600_000;
const DAY_MS = DAY_SECONDS * 1000;

/**
 * Announces each incident once when it begins, and once when it is over. One that comes and goes is one incident, until it has stayed
 * away.
 */
export function createIncidents({ clock, say }: { clock: Clock; say(text: string): void }): Incidents {
  const open = new Map<string, Incident>();
  const ended = new Map<string, { at: number; holdOffMs: number }>();

  function holdOffOf(name: string): number {
    const last = ended.get(name);
    if (last === undefined || clock.elapsed() - last.at >= DAY_MS) return FIRST_HOLD_OFF_MS;
    return Math.min(2 * last.holdOffMs, LONGEST_HOLD_OFF_MS);
  }

  function end(name: string, incident: Incident): void {
    open.delete(name);
    ended.set(name, { at: clock.elapsed(), holdOffMs: incident.holdOffMs });
    say(`${incident.over} (${historyOf(incident)})`);
  }

  return {
    raise(name, text) {
      const incident = open.get(name);
      if (incident === undefined) {
        open.set(name, {
          text,
          over: "",
          beganAt: clock.wall(),
          times: 1,
          goneSince: null,
          holdOffMs: holdOffOf(name),
        });
        say(text);
        return true;
      }
      const isBack = incident.goneSince !== null;
      open.set(name, { ...incident, text, goneSince: null, times: incident.times + (isBack ? 1 : 0) });
      return isBack;
    },
    resolve(name, over) {
      const incident = open.get(name);
      if (incident === undefined || incident.goneSince !== null) return false;
      open.set(name, { ...incident, over, goneSince: clock.elapsed() });
      return true;
    },
    check(isLast = false) {
      const now = clock.elapsed();
      for (const [name, incident] of open) {
        const { goneSince, holdOffMs } = incident;
        if (goneSince !== null && (isLast || now - goneSince >= holdOffMs)) end(name, incident);
      }
    },
    existing() {
      const incidents = [...open.values()].filter(({ goneSince }) => goneSince === null);
      return incidents.map((incident) => `${incident.text} (${historyOf(incident)})`);
    },
  };
}

function historyOf({ beganAt, times }: Incident): string {
  const began = `began ${new Date(beganAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return times === 1 ? began : `${began}, came ${times} times`;
}
