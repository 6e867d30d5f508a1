import { freePort } from "@dueday/db/embedded/freePort";
import { startProcess, type TestProcess } from "../e2e/startProcess";

/** Names of the processes: two APIs, two workers. */
export const apis = ["api0", "api1"] as const;
export const workers = ["worker0", "worker1"] as const;
export const actors = [...apis, ...workers] as const;
export type Actor = (typeof actors)[number];

export type Processes = {
  /** Of the APIs; they stay the same when a process is restarted. */
  urls: readonly string[];
  /** @throws Error when it was not started. */
  of(actor: Actor): TestProcess;
  /** Kills the process of that name first. */
  start(actor: Actor): Promise<void>;
  /** Prints the last lines of each process, and the status and readiness of the APIs, to find what is unhealthy. */
  report(): Promise<void>;
  dispose(): Promise<void>;
};

const LAST_LINES = 25;
const ANSWER_LENGTH = 1_500;

/** The processes of the service. Their settings are read at each start. */
export async function createProcesses(settingsOf: (actor: Actor) => Record<string, string>): Promise<Processes> {
  const ports = new Map<Actor, number>();
  for (const actor of apis) ports.set(actor, await freePort());
  const running = new Map<Actor, TestProcess>();
  const urls = [...ports.values()].map((port) => `http://127.0.0.1:${port}`);

  return {
    urls,
    of(actor) {
      const found = running.get(actor);
      if (found === undefined) throw new Error(`${actor} was not started`);
      return found;
    },
    async start(actor) {
      await running.get(actor)?.dispose();
      const program = actor.startsWith("api") ? "apps/api/src/main.ts" : "apps/worker/src/main.ts";
      const env = { PORT: String(ports.get(actor) ?? 0), ...settingsOf(actor) };
      running.set(actor, await startProcess(program, { env, preload: "test/chaos/shiftClock.ts" }));
    },
    async report() {
      for (const [actor, each] of running) {
        const lines = (await each.output()).trimEnd().split("\n").slice(-LAST_LINES);
        console.error(`${actor}, ${each.hasExited() ? "which has ended" : "which runs"}:\n${lines.join("\n")}`);
      }
      for (const url of urls.flatMap((each) => [`${each}/status`, `${each}/remit/readiness`])) {
        const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).then((found) => found.text(), String);
        console.error(`${url}: ${answer.slice(0, ANSWER_LENGTH)}`);
      }
    },
    async dispose() {
      for (const each of running.values()) await each.dispose();
    },
  };
}
