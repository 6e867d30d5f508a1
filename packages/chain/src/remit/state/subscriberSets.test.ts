import { afterAll, expect, test } from "bun:test";
import { STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { pad } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import { createChainClient } from "../../client/createChainClient";
import { readSubscriberSets } from "./subscriberSets";

let asked = 0;
let length = 0n;
/** A node that has the same word in every slot: the length of each set, and each of its entries. */
const stub = startRpcStub({
  answer({ method }) {
    if (method === "eth_getStorageAt") asked++;
    return { result: pad(`0x${length.toString(16)}`) };
  },
});
afterAll(() => stub.stop());

const block: ChainBlock = { number: 1n, hash: pad("0x01"), timestamp: 1n, baseFeePerGas: 0n, gasLimit: 60_000_000n };

function read() {
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 5_000 });
  const source = { contract: `0x${"11".repeat(20)}`, block, id: pad("0x02") } as const;
  return readSubscriberSets(client, { subscribers: 1n, unsubscribed: 2n }, source);
}

test.each([100_001n, 2n ** 255n])("a set of %p entries, by a node's answer, is refused and not read", async (said) => {
  length = said;
  asked = 0;
  await expect(read()).rejects.toMatchObject({
    code: "UPSTREAM_ERROR",
    message: expect.stringContaining(`${said} entries`),
  });
  expect(asked).toBe(2);
});

test("a set within the bound is read", async () => {
  length = 3n;
  expect((await read())?.subscribers).toHaveLength(3);
});
