import type { Clock } from "@dueday/keeper/clock";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testSeed } from "@dueday/test-support/testSeed";

export type VirtualClock = {
  clock: Clock;
  /** Lets time pass up to `end` (milliseconds since the start), with `tick` each `everyMs`. */
  passUntil(end: number, tick: { everyMs: number; run(): Promise<void> }): Promise<void>;
};

export type VirtualClockOptions = {
  /** Unix milliseconds. */
  startsAt: number;
  /** How many loops sleep on this clock. */
  sleepers: number;
  /** From then on no caller sleeps. */
  signal: AbortSignal;
};

/**
 * Time that moves only while everybody who uses it sleeps: a day passes as fast as the machine can, and no slow machine changes what
 * happens in it.
 */
export function createVirtualClock({ startsAt, sleepers, signal }: VirtualClockOptions): VirtualClock {
  let now = 0;
  let asleep: { until: number; wake(): void }[] = [];
  let noteAllAsleep = () => {};

  function allAsleep(): Promise<void> {
    return new Promise((resolve) => {
      noteAllAsleep = () => void (asleep.length >= sleepers && resolve());
      noteAllAsleep();
    });
  }

  function wakeThose(isDue: (until: number) => boolean): void {
    const due = asleep.filter(({ until }) => isDue(until));
    asleep = asleep.filter(({ until }) => !isDue(until));
    for (const { wake } of due) wake();
  }

  signal.addEventListener("abort", () => wakeThose(() => true));
  return {
    clock: {
      elapsed: () => now,
      wall: () => startsAt + now,
      random: randomFrom(testSeed),
      sleep(milliseconds) {
        if (signal.aborted) {
          now += milliseconds;
          return new Promise((resolve) => setImmediate(resolve));
        }
        return new Promise((wake) => {
          asleep.push({ until: now + milliseconds, wake });
          noteAllAsleep();
        });
      },
    },
    async passUntil(end, { everyMs, run }) {
      let nextTick = now + everyMs;
      while (now < end) {
        await allAsleep();
        now = Math.min(end, nextTick, ...asleep.map(({ until }) => until));
        if (now === nextTick) {
          await run();
          nextTick += everyMs;
        }
        wakeThose((until) => until <= now);
      }
      await allAsleep();
    },
  };
}
