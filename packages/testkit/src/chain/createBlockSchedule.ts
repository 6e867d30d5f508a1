import type { Rpc } from "./createRpc";

/** Blocks that are mined at a fixed interval. */
export type BlockSchedule = {
  /** Runs `work` between two blocks. @throws what made a block fail, such as a node that has ended */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the schedule: no further block is mined. */
  stop(): Promise<void>;
};

/**
 * Mines a block every `blockTimeMs` milliseconds from now on, with the transactions that wait. Below a second several blocks have the
 * same timestamp, as on Base. The schedule runs in the process of the test, so that it can be held while a snapshot is taken or returned to.
 */
export async function createBlockSchedule(rpc: Rpc, blockTimeMs: number): Promise<BlockSchedule> {
  await rpc("evm_setAutomine", [false]);
  let isStopped = false;
  /** Blocks and held work, one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = performance.now();

  function schedule(): void {
    // A late block is mined at once, and the schedule goes on from it: blocks that were missed meanwhile are left out.
    dueAt = Math.max(dueAt + blockTimeMs, performance.now());
    timer = setTimeout(() => {
      turn = turn.then(mine);
      // A failed block is reported by the next `hold()`: nothing else waits for a block.
      turn.catch(() => undefined);
    }, dueAt - performance.now());
    timer.unref();
  }

  async function mine(): Promise<void> {
    if (isStopped) return;
    await rpc("evm_mine");
    schedule();
  }

  schedule();
  return {
    async hold(work) {
      const done = turn.then(work);
      // Work that fails does not end the blocks; a block that has failed does.
      turn = turn.then(() => done.catch(() => undefined));
      turn.catch(() => undefined);
      return done;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await Promise.allSettled([turn]);
    },
  };
}
