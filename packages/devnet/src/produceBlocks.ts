import type { DevnetClient } from "./client";

/** Blocks that a devnet mines on a schedule. */
export type BlockProduction = {
  /** Ends the schedule: the head stands still, and transactions wait. */
  stop(): Promise<void>;
};

/**
 * Mines a block every `blockTimeMs` milliseconds from now on, with the transactions that wait. Below a second several
 * blocks have the same timestamp, as on Base. The interval of a running anvil can be set only in whole seconds. A block
 * that could not be mined in time is skipped. A failure ends the schedule, because then the node was stopped.
 */
export async function produceBlocks(
  client: DevnetClient,
  { blockTimeMs }: { blockTimeMs: number },
): Promise<BlockProduction> {
  await client.setAutomine(false);
  let isStopped = false;
  let mining: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = performance.now();

  function schedule(): void {
    if (isStopped) return;
    dueAt = Math.max(dueAt + blockTimeMs, performance.now());
    timer = setTimeout(
      () => {
        mining = client.request({ method: "evm_mine", params: undefined }).then(schedule, () => undefined);
      },
      Math.max(0, dueAt - performance.now()),
    );
    // The timer does not keep a process running that has nothing else to do.
    timer.unref();
  }

  schedule();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await mining;
    },
  };
}
