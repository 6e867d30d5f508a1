import type { Logger } from "@dueday/config/createLogger";

/** Shows how far a backfill is: a bar on a terminal, else a log line a minute. */
export type Progress = {
  begin(from: number, target: number): void;
  advance(to: number, logs: number): void;
  end(): void;
  /** The rate of the running backfill; null when none runs. */
  blocksPerSecond(): number | null;
};

export type ProgressOptions = {
  logger: Logger;
  clock: () => number;
  /** Where a bar is drawn; null where the output is not a terminal. */
  terminal: { write(text: string): unknown } | null;
};

const BAR_CHARACTERS = 30;
const DRAW_EVERY_MS = 200;
const LOG_EVERY_MS = 60_000;

type Run = { from: number; to: number; target: number; logs: number; startedAt: number; shownAt: number };

export function createProgress({ logger, clock, terminal }: ProgressOptions): Progress {
  let run: Run | null = null;

  function blocksPerSecond(): number | null {
    if (run === null || clock() <= run.startedAt) return null;
    return ((run.to - run.from) * 1_000) / (clock() - run.startedAt);
  }

  function show({ from, to, target, logs, startedAt }: Run): void {
    const seconds = Math.max(0.001, (clock() - startedAt) / 1_000);
    const rate = (to - from) / seconds;
    const done = (to - from) / Math.max(1, target - from);
    const secondsLeft = rate > 0 ? Math.ceil((target - to) / rate) : null;
    const eventsPerSecond = Math.round(logs / seconds);
    if (terminal === null) {
      logger.info({ block: to, target, percent: Math.floor(done * 100), eventsPerSecond, secondsLeft }, "indexing");
      return;
    }
    const bar = "#".repeat(Math.round(done * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS, ".");
    const left = secondsLeft === null ? "" : `, ${secondsLeft} s left`;
    terminal.write(`\r\u001b[Kindexing [${bar}] block ${to} of ${target}, ${eventsPerSecond} events/s${left}`);
  }

  return {
    begin(from, target) {
      run = { from, to: from, target, logs: 0, startedAt: clock(), shownAt: clock() };
    },
    advance(to, logs) {
      if (run === null) return;
      run.to = to;
      run.logs += logs;
      if (clock() - run.shownAt < (terminal === null ? LOG_EVERY_MS : DRAW_EVERY_MS)) return;
      run.shownAt = clock();
      show(run);
    },
    end() {
      if (run !== null && terminal !== null) {
        show(run);
        terminal.write("\n");
      }
      run = null;
    },
    blocksPerSecond,
  };
}
