import type { ChildProcess } from "node:child_process";
import { hasEnded } from "./stopServer";

export type Supervision = {
  /** Called when a server that ended by itself was restarted. */
  onRestart(): void;
  /** Called when restarts do not help. */
  onFatal(error: Error): void;
};

export type SupervisedServer = {
  /** Ends the supervision and returns the server that ran last; waits for a restart in progress. */
  release(): Promise<ChildProcess>;
};

const MOST_RESTARTS = 3;
const RESTARTS_WITHIN_MS = 60_000;

/** Restarts a server that ends by itself, three times within a minute at most. */
export function superviseServer(
  first: ChildProcess,
  { onRestart, onFatal }: Supervision,
  restart: () => Promise<ChildProcess>,
): SupervisedServer {
  let current = Promise.resolve(first);
  let isReleased = false;
  let restarts: number[] = [];

  function watch(server: ChildProcess): void {
    const onExit = () => {
      if (!isReleased) current = replace(server);
    };
    if (hasEnded(server)) onExit();
    else server.once("exit", onExit);
  }

  /** Resolves with the ended server if no other could be started, or the supervision ended meanwhile. */
  async function replace(ended: ChildProcess): Promise<ChildProcess> {
    for (let cause: unknown; ; ) {
      if (isReleased) return ended;
      const now = performance.now();
      restarts = restarts.filter((time) => now - time < RESTARTS_WITHIN_MS);
      if (restarts.length === MOST_RESTARTS) {
        const text = `the embedded PostgreSQL ended by itself, and ${MOST_RESTARTS} restarts within a minute did not help`;
        onFatal(new Error(`${text}: see server.log in its data folder`, { cause }));
        return ended;
      }
      restarts.push(now);
      let server: ChildProcess;
      try {
        server = await restart();
      } catch (error) {
        cause = error;
        continue;
      }
      watch(server);
      onRestart();
      return server;
    }
  }

  watch(first);
  return {
    release() {
      isReleased = true;
      return current;
    },
  };
}
