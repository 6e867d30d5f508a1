import { afterEach, expect, test } from "bun:test";
import { type RpcStub, STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { concatHex, type Hex, numberToHex, parseGwei, zeroHash } from "viem";
import { createChainClient } from "../client/createChainClient";
import { estimateFees } from "./estimateFees";

const HEAD = 1_000;
const TIME = 1_800_000_000;
const stubs: RpcStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.stop();
});

type Shown = { intervalMs: number; extraData?: Hex; tip?: bigint | null };

/** A chain whose blocks come at this interval, with these parameters in their headers. */
function chain({ intervalMs, extraData = "0x", tip = 0n }: Shown) {
  const stub = startRpcStub({
    answer({ method, params }) {
      if (method === "eth_gasPrice") return { result: "0xb2d05e00" };
      if (method === "eth_maxPriorityFeePerGas") {
        return tip === null ? { error: { code: -32601, message: "no such method" } } : { result: numberToHex(tip) };
      }
      const number = Number(params[0]);
      const timestamp = TIME - Math.ceil(((HEAD - number) * intervalMs) / 1_000);
      const fees = { gasLimit: "0x2625a00", baseFeePerGas: "0x4c4b40" };
      const hash = numberToHex(number, { size: 32 });
      const header = { number: params[0], hash, parentHash: zeroHash, timestamp: numberToHex(timestamp), ...fees };
      return { result: { ...header, extraData } };
    },
  });
  stubs.push(stub);
  const client = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 5_000 });
  const block = {
    number: BigInt(HEAD),
    hash: zeroHash,
    timestamp: BigInt(TIME),
    gasLimit: 40_000_000n,
    baseFeePerGas: parseGwei("2"),
  };
  /** The cap in base fees. */
  const rise = async (waitSeconds: number) => {
    const { maxFeePerGas } = await estimateFees(client, { block, waitSeconds });
    return Number(maxFeePerGas) / Number(block.baseFeePerGas);
  };
  return { stub, client, block, rise };
}

/** As an OP Stack chain writes its parameters into headers. */
const parameters = (version: number, denominator: number, elasticity: number, rest: Hex = "0x") =>
  concatHex([
    numberToHex(version, { size: 1 }),
    numberToHex(denominator, { size: 4 }),
    numberToHex(elasticity, { size: 4 }),
    rest,
  ]);

/** Base since November 2026: +0.4 % for a full block of 200 ms. */
const BASE = { intervalMs: 200, extraData: parameters(1, 1_250, 6, numberToHex(5_000_000, { size: 8 })) };

test("on Base the cap covers full blocks for as long as the transaction waits: x1.8 in 30 s, x11 in two minutes", async () => {
  const { rise } = chain(BASE);
  expect(await rise(30)).toBeWithin(1.004 ** 150, 1.004 ** 165);
  expect(await rise(120)).toBeWithin(1.004 ** 600, 12.001);
});

test.each([
  [
    "blocks of 2 s with the parameters of their headers",
    { intervalMs: 2_000, extraData: parameters(0, 250, 6) },
    1.02 ** 16,
  ],
  ["blocks of 12 s without parameters, by an eighth each", { intervalMs: 12_000 }, 1.125 ** 4],
])("the rise is that of the chain: %s", async (_, shown, expected) => {
  const { rise } = chain(shown);
  expect(await rise(30)).toBeCloseTo(expected, 1);
});

test("the cap is twelve base fees at most, and two where blocks have no interval", async () => {
  expect(await chain({ intervalMs: 1_000 }).rise(120)).toBe(12);
  expect(await chain({ intervalMs: 0 }).rise(120)).toBe(2);
});

test("parameters that would not let the fee move are not believed", async () => {
  const { rise } = chain({ intervalMs: 12_000, extraData: parameters(0, 0, 0) });
  expect(await rise(30)).toBeCloseTo(1.125 ** 4, 1);
});

test("the pace is read with three headers at most, and then not for five minutes", async () => {
  const { stub, rise } = chain(BASE);
  await rise(30);
  await rise(120);
  expect(stub.exchanges.flat().filter((method) => method === "eth_getBlockByNumber")).toHaveLength(3);
});

test("the priority fee is the node's, or what its gas price is above the base fee", async () => {
  const of = async (tip: bigint | null) => {
    const { client, block } = chain({ ...BASE, tip });
    const { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas } = await estimateFees(client, {
      block,
      waitSeconds: 30,
    });
    expect(baseFeePerGas).toBe(parseGwei("2"));
    expect(maxFeePerGas).toBeGreaterThan(baseFeePerGas + maxPriorityFeePerGas);
    return maxPriorityFeePerGas;
  };
  expect(await of(7n)).toBe(7n);
  expect(await of(null)).toBe(parseGwei("1"));
});
