import { afterEach, describe, expect, test } from "bun:test";
import { type RpcStub, STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { numberToHex, pad } from "viem";
import { readHead } from "../block/readHead";
import type { ClockBound } from "./createBlockJudge";
import { createChainClient } from "./createChainClient";

const NOW = 1_774_000_000;
const bound: ClockBound = { clock: () => NOW * 1000, maxAheadSeconds: 86_400 };
const stubs: RpcStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.stop();
});

type Block = { number: bigint; timestamp: bigint; hash: string; gasLimit: bigint; baseFeePerGas: bigint };

/** The URL of a node whose heads are `blocks`, one after the other, the last one repeated. */
function node(...blocks: Partial<Block>[]): string {
  let asked = 0;
  const stub = startRpcStub({
    answer() {
      const block = blocks[Math.min(asked++, blocks.length - 1)];
      const { number = 10n, timestamp = BigInt(NOW), hash = "0x01", gasLimit = 60_000_000n, ...rest } = block ?? {};
      const quantities = { number, timestamp, gasLimit, baseFeePerGas: rest.baseFeePerGas ?? 7n };
      const hexes = Object.entries(quantities).map(([name, value]) => [name, numberToHex(value)]);
      return { result: { ...Object.fromEntries(hexes), hash: word(hash), parentHash: word(numberToHex(number - 1n)) } };
    },
  });
  stubs.push(stub);
  return stub.url;
}

function word(text: string): string {
  return pad(text as `0x${string}`); // all of the callers' texts are hexadecimal
}

function headOf(rpcUrls: string[], clockBound?: ClockBound) {
  return readHead(createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls, requestTimeoutMs: 5_000, clockBound }));
}

test("one block has one time: a node that dates it differently is not used", async () => {
  const client = createChainClient({
    chainId: STUB_CHAIN_ID,
    requestTimeoutMs: 5_000,
    rpcUrls: [node({}, { timestamp: BigInt(NOW) - 1n })],
  });
  expect((await readHead(client)).timestamp).toBe(BigInt(NOW));
  await expect(readHead(client)).rejects.toMatchObject({ details: { failure: "impossible_block" } });
});

test("a chain with a clock bound does not go back by more than an hour; a development chain may", async () => {
  const back = BigInt(NOW) - 3_601n;
  for (const clockBound of [bound, undefined]) {
    const rpcUrls = [node({}, { number: 20n, hash: "0x02", timestamp: back })];
    const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls, requestTimeoutMs: 5_000, clockBound });
    await readHead(client);
    const second = readHead(client).then(
      ({ timestamp }) => timestamp,
      ({ details }) => details.failure,
    );
    expect(await second).toBe(clockBound === undefined ? back : "impossible_block");
  }
});

describe("a block that can't be", () => {
  const impossible: [string, Partial<Block>][] = [
    ["a time in milliseconds", { timestamp: BigInt(NOW) * 1000n }],
    ["the time 2^240", { timestamp: 2n ** 240n }],
    ["the number 2^53", { number: 2n ** 53n }],
    ["no gas", { gasLimit: 0n }],
    ["the gas limit 2^200", { gasLimit: 2n ** 200n }],
    ["the base fee 2^200", { baseFeePerGas: 2n ** 200n }],
  ];
  for (const [name, block] of impossible) {
    test(`${name}: UPSTREAM_ERROR, and the next URL's block where there is one`, async () => {
      await expect(headOf([node(block)])).rejects.toMatchObject({
        code: "UPSTREAM_ERROR",
        details: { failure: "impossible_block" },
      });
      expect((await headOf([node(block), node({ number: 11n })])).number).toBe(11n);
    });
  }
});

describe("the clock", () => {
  test("a block further ahead of it than the bound is a failure of its node; one within it, or far behind, is not", async () => {
    const ahead = (seconds: number) => ({ timestamp: BigInt(NOW + seconds) });
    await expect(headOf([node(ahead(86_401))], bound)).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    expect((await headOf([node(ahead(86_401)), node({})], bound)).timestamp).toBe(BigInt(NOW));
    expect((await headOf([node(ahead(86_400))], bound)).timestamp).toBe(BigInt(NOW + 86_400));
    expect((await headOf([node({ timestamp: 1n })], bound)).timestamp).toBe(1n);
  });

  test("without a bound a chain may travel in time", async () => {
    expect((await headOf([node({ timestamp: BigInt(NOW) + 10n ** 9n })])).timestamp).toBe(BigInt(NOW) + 10n ** 9n);
  });
});

test("a block before its parent, as the same node sent it, is a failure of that node", async () => {
  const parent = { number: 10n, hash: "0xa" };
  const child = { number: 11n, hash: "0xb", timestamp: BigInt(NOW - 1) };
  const rpcUrls = [node(parent, child), node({ number: 12n, hash: "0xc" })];
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls, requestTimeoutMs: 5_000 });
  expect((await readHead(client)).number).toBe(10n);
  expect((await readHead(client)).number).toBe(12n);
});
