import { expect, test } from "bun:test";
import { startRpcStub } from "@dueday/chain/test/startRpcStub";
import { protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readStorageWords } from "../remit/state/readStorageWords";
import { createChainClient } from "./createChainClient";
import { mapCalls } from "./mapCalls";

const CONTRACT = "0x00000000000000000000000000000000000c0de0";
const HASH = `0x${"ab".repeat(32)}` as const;
/** More calls than may wait for a node. */
const READS = 15_000;
/** Of a node that is not there yet when a call that found no room is tried a last time. */
const LATENCY_MS = 50;

const late = async () => {
  await Bun.sleep(LATENCY_MS);
  return undefined;
};

test("results are in the order of their items, and no more than a thousand calls are under way", async () => {
  let [underWay, most] = [0, 0];
  const items = Array.from({ length: 2_500 }, (_, index) => index);
  const results = await mapCalls(items, async (item) => {
    most = Math.max(most, ++underWay);
    // Some overtake others.
    for (let turn = 0; turn <= item % 3; turn++) await Promise.resolve();
    underWay--;
    return 2 * item;
  });
  expect(results).toEqual(items.map((item) => 2 * item));
  expect(most).toBe(1_000);
});

test("the first error ends it: what has not begun is not called", async () => {
  let called = 0;
  const failing = mapCalls(Array.from({ length: 5_000 }), async () => {
    called++;
    throw new Error("the node fails");
  });
  await expect(failing).rejects.toThrow("the node fails");
  expect(called).toBe(1_000);
});

test("a read of more items than may wait for a node succeeds, on a chain with Multicall3 and on one without", async () => {
  const day = `0x${20_531n.toString(16).padStart(64, "0")}`;
  for (const code of ["0x", "0x60"]) {
    const stub = startRpcStub({
      respond: late,
      answer({ method, params }) {
        if (method === "eth_getCode") return { result: code };
        if (method === "eth_getStorageAt") return { result: day };
        // The form of an eth_call.
        const [{ to }] = params as [{ to: string }];
        // A Multicall3 that can't answer: each of its reads is then sent alone.
        return to === CONTRACT ? { result: day } : { error: { code: 3, message: "execution reverted" } };
      },
    });
    try {
      const client = createChainClient({ chainId: 31337, rpcUrls: [stub.url], requestTimeoutMs: 60_000 });
      const reads = Array.from({ length: READS }, () => protocolRead(CONTRACT, "nextUncheckedDay", []));
      const results = await readMany(client, reads, { hash: HASH });
      expect(results.filter((each) => each.ok && each.value === 20_531)).toHaveLength(READS);
    } finally {
      await stub.stop();
    }
  }
});

test("the words of a long set are read, more of them than may wait for a node", async () => {
  const stub = startRpcStub({ respond: late, answer: ({ params }) => ({ result: params[1] }) });
  try {
    const client = createChainClient({ chainId: 31337, rpcUrls: [stub.url], requestTimeoutMs: 60_000 });
    const slots = Array.from({ length: READS }, (_, slot) => BigInt(slot));
    const block = { number: 1n, hash: HASH, timestamp: 1n, baseFeePerGas: 1n, gasLimit: 30_000_000n };
    expect(await readStorageWords(client, { contract: CONTRACT, slots, block })).toEqual(slots);
  } finally {
    await stub.stop();
  }
});
