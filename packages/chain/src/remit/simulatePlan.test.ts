import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { type RequestedBlock, simulatedBlocks } from "@dueday/chain/test/simulatedBlocks";
import { type RpcStub, STUB_CHAIN_ID, type StubAnswer, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { protocolAbi } from "@dueday/core/abi/protocol";
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  getAddress,
  numberToHex,
  parseAbi,
  zeroHash,
} from "viem";
import { createChainClient } from "../client/createChainClient";
import { PLAN_TRANSACTIONS_LIMIT, simulatePlan } from "./simulatePlan";

// How the plan copes with what nodes allow for one request; what remit() does is tested in test/recorded.

const CONTRACT = getAddress("0x00000000000000000000000000000000000c0de0");
const FROM = getAddress("0x00000000000000000000000000000000000d0e00");
const BLOCK = { number: 100n, hash: zeroHash, timestamp: 1_700n, baseFeePerGas: 0n, gasLimit: 60_000_000n };
const stubs: RpcStub[] = [];
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.stop();
});

const reverted = (text: string) =>
  encodeErrorResult({ abi: parseAbi(["error Error(string)"]), errorName: "Error", args: [text] });
const caughtUp = { status: "0x0", gasUsed: "0x6000", logs: [], returnData: reverted("6"), error: { code: 3 } };
const blocked = { ...caughtUp, returnData: reverted("blocked") };
const outOfGas = { ...caughtUp, returnData: "0x", error: { code: -32015, message: "out of gas" } };

/** A call that closes `day`. */
function closing(day: number) {
  const topics = encodeEventTopics({
    abi: protocolAbi,
    eventName: "CallerLog",
    args: { timestamp: 1, checkedDay: day, caller: FROM },
  });
  const data = encodeAbiParameters([{ type: "bool" }], [true]);
  return { status: "0x1", gasUsed: "0x10000", returnData: "0x", logs: [{ address: CONTRACT, topics, data }] };
}

/** A node whose calls come from `call` by their position; `counts` has the number of calls of each request. */
function node(
  call: (position: number) => unknown,
  refuse: (calls: { gas: string }[], blocks: RequestedBlock[]) => StubAnswer = () => undefined,
  { txGasCap = null }: { txGasCap?: bigint | null } = {},
) {
  const counts: number[] = [];
  const stub = startRpcStub({
    answer({ params }) {
      const blocks = simulatedBlocks(params);
      const calls = blocks.flatMap((block) => block.calls);
      counts.push(calls.length);
      const refusal = refuse(calls, blocks);
      if (refusal !== undefined) return refusal;
      let position = 0;
      return {
        result: blocks.map(({ blockOverrides: { number, time }, calls: ofBlock }) => ({
          number,
          timestamp: time,
          calls: ofBlock.map(() => call(position++)),
        })),
      };
    },
  });
  stubs.push(stub);
  return {
    client: createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 5_000, txGasCap }),
    counts,
  };
}

/** The same result for each call. */
function answerAll(blocks: RequestedBlock[], call: unknown): StubAnswer {
  return {
    result: blocks.map(({ blockOverrides: { number, time }, calls }) => ({
      number,
      timestamp: time,
      calls: calls.map(() => call),
    })),
  };
}

const plan = (client: ReturnType<typeof node>["client"], options: { maxRemits?: number } = {}) =>
  simulatePlan(client, { contract: CONTRACT, from: FROM, block: BLOCK, ...options }).then(
    (simulation) => simulation.plan,
  );

describe("the request grows and shrinks", () => {
  test("a short plan is one request", async () => {
    const { client, counts } = node((position) => (position < 3 ? closing(position) : caughtUp));
    expect((await plan(client)).transactions.map((each) => each.closesDays)).toEqual([[0], [1], [2]]);
    expect(counts).toHaveLength(1);
  });

  test("a plan that is longer than the first request is simulated again, whole", async () => {
    const { client } = node((position) => (position < 100 ? closing(position) : caughtUp));
    const result = await plan(client);
    expect(result).toMatchObject({ complete: true, end: "caught_up" });
    expect(result.transactions).toHaveLength(100);
  });

  test("a plan without end stops at the limit and is incomplete", async () => {
    const { client, counts } = node(closing);
    const result = await plan(client);
    expect(result).toMatchObject({ complete: false, end: "limit" });
    expect(result.transactions).toHaveLength(PLAN_TRANSACTIONS_LIMIT);
    // Two more show what follows: the model goes on from there.
    expect(Math.max(...counts)).toBe(PLAN_TRANSACTIONS_LIMIT + 2);
  });

  test("a node that adds up gas limits and allows a block's worth gets as many calls as fit", async () => {
    const { client } = node(closing, (calls) =>
      calls.reduce((sum, { gas }) => sum + BigInt(gas), 0n) > BLOCK.gasLimit
        ? { error: { code: -38015, message: "block gas limit reached" } }
        : undefined,
    );
    const result = await plan(client, { maxRemits: 10 });
    expect(result).toMatchObject({ complete: false, end: "limit" });
    expect(result.transactions).toHaveLength(Number(BLOCK.gasLimit / 5_500_000n));
  });

  test("a node without eth_simulateV1 is recognized with one request", async () => {
    const { client, counts } = node(closing, () => ({ error: { code: -32601, message: "no such method" } }));
    await expect(plan(client)).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE", retryable: false });
    expect(counts).toHaveLength(1);
  });

  test("a node that refuses every request is UPSTREAM_ERROR, not a plan", async () => {
    const { client, counts } = node(closing, () => ({ error: { code: -38026, message: "client limit exceeded" } }));
    await expect(plan(client)).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    expect(counts.at(-1)).toBe(1);
  });
});

describe("over several simulated blocks", () => {
  /** More days than fit into a block. */
  const long = (position: number) => (position < 60 ? closing(position) : caughtUp);
  const sumOf = ({ calls }: RequestedBlock) => calls.reduce((sum, { gas }) => sum + BigInt(gas), 0n);

  test("no block has more gas than the header allows, and all have the same time", async () => {
    const seen: RequestedBlock[][] = [];
    const { client } = node(long, (_, blocks) => {
      seen.push(blocks);
      return undefined;
    });
    expect((await plan(client, { maxRemits: 10 })).transactions).toHaveLength(60);
    expect(seen[0]?.length).toBeGreaterThan(1);
    for (const blocks of seen) {
      for (const block of blocks) expect(Number(sumOf(block))).toBeLessThanOrEqual(Number(BLOCK.gasLimit));
      expect(new Set(blocks.map(({ blockOverrides }) => blockOverrides.time))).toEqual(new Set(["0x6a5"]));
      expect(blocks.map(({ blockOverrides }) => Number(blockOverrides.number))).toEqual(
        blocks.map((_, index) => 101 + index),
      );
    }
  });

  test("on a node that wants rising times they rise by a second, which is learned from one refusal", async () => {
    const rises = (blocks: RequestedBlock[]) =>
      blocks.every(({ blockOverrides: { time } }, index) => Number(time) === 1_701 + index);
    const { client, counts } = node(long, (_, blocks) =>
      rises(blocks) ? undefined : { error: { code: -38021, message: "block timestamps must be in order" } },
    );
    expect((await plan(client, { maxRemits: 10 })).transactions).toHaveLength(60);
    const before = counts.length;
    expect((await plan(client, { maxRemits: 10 })).transactions).toHaveLength(60);
    expect(counts.length - before).toBe(before - 1);
  });

  test("rising times do not leave the day: where it ends, the plan is as long as it has seconds", async () => {
    const times: number[] = [];
    const { client } = node(long, (_, blocks) => {
      const isRising = blocks.every(
        ({ blockOverrides: { time } }, index) => Number(time) === Number(blocks[0]?.blockOverrides.time) + index,
      );
      if (!isRising) return { error: { code: -38021, message: "block timestamps must be in order" } };
      times.push(...blocks.map(({ blockOverrides }) => Number(blockOverrides.time)));
      return undefined;
    });
    const block = { ...BLOCK, timestamp: 86_397n };
    const { plan: late } = await simulatePlan(client, { contract: CONTRACT, from: FROM, block, maxRemits: 10 });
    expect(late).toMatchObject({ complete: false, end: "limit" });
    expect(late.transactions.length).toBeGreaterThan(9);
    expect(Math.max(...times)).toBeLessThan(86_400);
  });

  test("a node whose simulated blocks hold less than the header allows gets one call in each", async () => {
    const { client } = node(long, (_, blocks) =>
      blocks.some(({ calls }) => calls.length > 1)
        ? { error: { code: -38015, message: "block gas limit reached" } }
        : undefined,
    );
    expect((await plan(client, { maxRemits: 10 })).transactions).toHaveLength(60);
  });

  test("no more blocks are requested than nodes simulate", async () => {
    const blockCounts: number[] = [];
    const { client } = node(
      (position) => ({ ...closing(position), gasUsed: numberToHex(20_000_000) }),
      (_, blocks) => {
        blockCounts.push(blocks.length);
        return undefined;
      },
    );
    const result = await plan(client, { maxRemits: 200 });
    expect(result).toMatchObject({ complete: false, end: "limit" });
    expect(Math.max(...blockCounts)).toBeLessThanOrEqual(256);
  });
});

describe("a request is bounded, whatever a token does with the gas and the time that it gets", () => {
  /** More days than the first request has calls. */
  const long = (position: number) => (position < 200 ? closing(position) : caughtUp);

  test("in the gas of its calls, in sum", async () => {
    const sums: bigint[] = [];
    const { client } = node(long, (calls) => {
      sums.push(calls.reduce((sum, { gas }) => sum + BigInt(gas), 0n));
      return undefined;
    });
    expect((await plan(client)).transactions).toHaveLength(200);
    expect(sums.length).toBeGreaterThan(1);
    // 400 million for the calls that are not known to fit, and for the others twice what they use.
    for (const sum of sums) expect(Number(sum)).toBeLessThanOrEqual(400_000_000 + 200 * 2 * 0x10000);
  });

  test("in time: after four seconds no more are sent, and the plan ends with what was simulated", async () => {
    const { now } = performance;
    let passed = 0;
    const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) + passed);
    try {
      const { client, counts } = node(long, () => {
        passed += 4_000;
        return undefined;
      });
      const { end, complete, transactions } = await plan(client);
      expect([end, complete]).toEqual(["limit", false]);
      expect(counts).toEqual([transactions.length]);
    } finally {
      clock.mockRestore();
    }
  });
});

describe("the end of a plan", () => {
  test("a revert that the next call repeats is the contract's", async () => {
    const { client } = node((position) => (position < 2 ? closing(position) : blocked));
    expect(await plan(client)).toMatchObject({ complete: true, end: "blocked", revert: { code: "blocked" } });
  });

  test("a revert that the next call does not repeat is gas that ran out: a limit, whatever its reason", async () => {
    const { client } = node((position) =>
      position < 2 ? closing(position) : { ...blocked, gasUsed: numberToHex(90_000 - position) },
    );
    const result = await plan(client);
    expect(result).toMatchObject({ complete: false, end: "limit" });
    expect(result.transactions).toHaveLength(2);
    expect(result.revert).toBeUndefined();
  });

  test("a call that runs out of its own gas is tried with a whole block's", async () => {
    const limits = new Set<string>();
    const { client } = node(
      () => caughtUp,
      (calls, blocks) => {
        limits.add(calls[0]?.gas ?? "");
        if (BigInt(calls[0]?.gas ?? 0) === BLOCK.gasLimit) return undefined;
        return answerAll(blocks, outOfGas);
      },
    );
    expect(await plan(client, { maxRemits: 1 })).toMatchObject({ end: "caught_up", transactions: [] });
    expect([...limits]).toEqual([numberToHex(3_250_000), numberToHex(BLOCK.gasLimit)]);
  });

  test("no call is given more than a transaction may have, and a page that needs more blocks the plan for its gas", async () => {
    const cap = 16_777_216n;
    const limits = new Set<bigint>();
    const { client } = node(
      () => ({ ...outOfGas, gasUsed: numberToHex(cap) }),
      (calls) => {
        for (const { gas } of calls) limits.add(BigInt(gas));
        return undefined;
      },
      { txGasCap: cap },
    );
    expect(await plan(client, { maxRemits: 400 })).toMatchObject({ end: "blocked", revert: { name: "OUT_OF_GAS" } });
    expect([...limits]).toEqual([cap]);
  });

  test("a first call that no block has gas for is a limit without transactions", async () => {
    const { client } = node(() => outOfGas);
    expect(await plan(client)).toMatchObject({ complete: false, end: "limit", transactions: [] });
  });

  test("a call that succeeds and changes nothing ends the plan with no_progress", async () => {
    const idle = { status: "0x1", gasUsed: "0x6000", returnData: "0x", logs: [] };
    const { client } = node((position) => (position < 1 ? closing(position) : idle));
    const result = await plan(client);
    expect(result).toMatchObject({ complete: true, end: "no_progress" });
    expect(result.transactions).toHaveLength(1);
  });
});
