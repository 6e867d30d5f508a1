import type { Rpc } from "./createRpc";

const POLL_MS = 5;
/** A transaction that offers too little for its gas waits for ever. */
const PATIENCE_MS = 5_000;

/** The node mines each transaction by itself, a moment after it has returned its hash; unless a test has switched that off. */
export async function untilMined(rpc: Rpc): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  const isWaiting = async () => BigInt(Object(await rpc("txpool_status")).pending) > 0n;
  while ((await isWaiting()) && (await rpc("anvil_getAutomine")) === true && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
