import { afterEach, expect, test } from "bun:test";
import { type RpcStub, STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { numberToHex, pad } from "viem";
import { createChainClient } from "../client/createChainClient";
import { readHead } from "./readHead";
import { waitForBlock } from "./waitForBlock";

const stubs: RpcStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.stop();
});

/** A client of a node that makes a block for each head that it returns, up to `last`. */
function growingChain({ first, last }: { first: number; last: number }) {
  let next = first;
  const stub = startRpcStub({
    answer() {
      const number = Math.min(last, next++);
      const word = (value: number) => pad(numberToHex(value));
      const quantities = { number, timestamp: number, gasLimit: 30_000_000, baseFeePerGas: 7 };
      const hexes = Object.entries(quantities).map(([name, value]) => [name, numberToHex(value)]);
      return { result: { ...Object.fromEntries(hexes), hash: word(number), parentHash: word(number - 1) } };
    },
  });
  stubs.push(stub);
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 5_000 });
  return { client, stub };
}

test("returns true as soon as a node has the block", async () => {
  const { client } = growingChain({ first: 10, last: 100 });
  expect(await waitForBlock(client, { number: 12n, timeoutMs: 60_000 })).toBe(true);
  expect(client.endpoints.highestBlock()).toBe(12n);
});

test("a block that an answer has already shown costs no request", async () => {
  const { client, stub } = growingChain({ first: 10, last: 10 });
  await readHead(client);
  const before = stub.exchanges.length;
  expect(await waitForBlock(client, { number: 10n, timeoutMs: 0 })).toBe(true);
  expect(stub.exchanges).toHaveLength(before);
});

test("returns false when the deadline passes before the block exists", async () => {
  const { client } = growingChain({ first: 10, last: 10 });
  expect(await waitForBlock(client, { number: 11n, timeoutMs: 50 })).toBe(false);
});
