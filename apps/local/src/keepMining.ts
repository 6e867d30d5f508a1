import type { Devnet } from "@dueday/devnet/startDevnet";

const EVERY_MS = 12_000;

/**
 * Mines a block now and then, besides those that the devnet mines for transactions: figures are confirmed at new blocks, and would become stale on a chain
 * on which nothing happens.
 *
 * @returns a function that stops the mining
 */
export function keepMining({ client }: Pick<Devnet, "client">, onFailure: (error: Error) => void): () => Promise<void> {
  let mining: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    mining = client.mine({ blocks: 1 }).catch((error: Error) => {
      clearInterval(timer);
      onFailure(new Error("the demo's chain stopped mining blocks", { cause: error }));
    });
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await mining;
  };
}
