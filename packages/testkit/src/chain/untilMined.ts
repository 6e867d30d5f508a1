import type { Rpc } from "./createRpc";

const POLL_MS = 5;
/** The wait ends after this time, because a transaction that offers too little for its gas is never mined. */
const PATIENCE_MS = 5_000;

/**
 * Waits until the node has mined its transactions. It mines each one a moment after its hash was returned or, where blocks come by
 * themselves (`isScheduled`), with the next block. Does not wait where a test has switched automatic mining off.
 */
export async function untilMined(rpc: Rpc, isScheduled: boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  const isWaiting = async () => BigInt(Object(await rpc("txpool_status")).pending) > 0n;
  const isMining = async () => isScheduled || (await rpc("anvil_getAutomine")) === true;
  while ((await isWaiting()) && (await isMining()) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
