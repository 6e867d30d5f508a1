import { expect, test } from "bun:test";
import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { ServedChain } from "../chains/servedChain";
import { answerLiveOnce } from "./answerLive";
import type { Context } from "./context";

test("a read that several requests share goes on when the client that began it has gone", async () => {
  // Chain and context have the parts that a live read uses.
  const chain = {
    config: { chainId: 31337, maxClockAheadSeconds: null },
    monitor: { failure: () => null, head: () => null },
    inFlight: new Map(),
  } as unknown as ServedChain;
  const gone = new AbortController();
  const requestOf = (signal: AbortSignal) => ({ chain, clock: Date.now, minBlock: 2n, signal }) as unknown as Context;
  let number = 1n;
  let picked = 0;
  const pick = async (): Promise<ChainBlock> => {
    picked += 1;
    return { number, hash: `0x${"0".repeat(64)}`, timestamp: 1_790_000_000n, baseFeePerGas: 0n, gasLimit: 0n };
  };
  const read = (signal: AbortSignal) => answerLiveOnce(requestOf(signal), "a read", async () => ({ a: 1 }), pick);
  const [first, second] = [read(gone.signal), read(new AbortController().signal)];
  gone.abort();
  await waitUntil("the read to look for the block again", () => picked > 1);
  number = 2n;
  expect(await Promise.all([first, second])).toMatchObject(Array(2).fill({ a: 1, asOf: { blockNumber: "2" } }));
  expect(chain.inFlight.size).toBe(0);
});
