import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { type Address, numberToHex } from "viem";
import { createKeeperClient, createNode } from "./createNode";

/** A Sunday; a day later, 120 payments are due in three long transactions. */
const START = Date.UTC(2026, 2, 1, 12) / 1000;
const scenario = weeklyBook({ dueDays: [1], subscribers: 120, maxRemits: 40n, daysBefore: 2, isSettled: false });
const GAS = 4_000_000n;
const fees = { maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
const BLOCK_GAS = 20_000_000n;

let devnet: Devnet;
let rival: Address;
beforeAll(async () => {
  devnet = await startDevnet({ scenario, now: START, gasLimit: BLOCK_GAS });
  await devnet.client.setNextBlockTimestamp({ timestamp: BigInt(START + DAY_SECONDS) });
  await devnet.client.mine({ blocks: 1 });
  const accounts = await devnet.client.request({ method: "eth_accounts" });
  rival = accounts.at(-1) ?? devnet.contract;
});
afterAll(() => devnet.stop());

/** The keeper's node behind a proxy with these limits. */
function open(profile: NodeProfile, replaceAfterMs = 30_000) {
  const proxy = startNodeProxy(devnet.url, profile);
  const client = createKeeperClient(31_337, [proxy.url]);
  const node = createNode({
    client,
    rpcUrls: [proxy.url],
    contract: devnet.contract,
    from: devnet.keeper.address,
    replaceAfterMs,
  });
  return { node, [Symbol.asyncDispose]: () => proxy.stop() };
}

describe("a block limit of 20 million gas, which each simulated block has", () => {
  const profile: NodeProfile = { simulation: { blockGas: true } };

  test("three transactions are simulated with the plan's gas limits", async () => {
    await using opened = open(profile);
    const simulation = await opened.node.simulateRemits([GAS, GAS, GAS], fees);
    expect(simulation?.end).toBe("all");
    expect(simulation?.remits.map(({ payments }) => payments)).toEqual([40, 40, 40]);
  });

  test("a plan whose gas limits are too low for a transaction is checked with the most that it may have", async () => {
    await using opened = open(profile);
    const simulation = await opened.node.simulateRemits([GAS / 10n], fees);
    expect(simulation).toMatchObject({ end: "all", remits: [{ payments: 40 }] });
  });
});

test("a node that serves the logs of 10 blocks shows the remits of others in longer ranges, and the keeper's own none", async () => {
  const { client, contract } = devnet;
  const before = await client.getBlockNumber();
  await client.mine({ blocks: 60 });
  const transaction = { from: rival, to: contract, data: encodeRemit(), gas: numberToHex(GAS) };
  const transactionHash = await client.request({ method: "eth_sendTransaction", params: [transaction] });
  await client.mine({ blocks: 60 });
  await using opened = open({ logsRange: { blocks: 10, refusal: "-32600" } });
  const rivals = await opened.node.rivals(before);
  expect(rivals?.map(({ hash, caller }) => [hash, caller.toLowerCase()])).toEqual([[transactionHash, rival]]);
  expect(await opened.node.rivals(before + 61n)).toEqual([]);
  expect(await opened.node.findOwn(0)).toBeNull();
});

test("a block of some age is found where five blocks have one timestamp", async () => {
  const { client } = devnet;
  const { timestamp: start } = await client.getBlock();
  for (let second = 1n; second <= 150n; second++) {
    await client.setNextBlockTimestamp({ timestamp: start + second });
    await client.mine({ blocks: 5, interval: 0 });
  }
  await using opened = open({});
  const { number, timestamp } = await opened.node.head();
  // anvil's clock may run on between the five.
  expect(timestamp - Number(start)).toBeGreaterThanOrEqual(150);
  const found = await opened.node.blockBefore(100);
  const block = await client.getBlock({ blockNumber: found });
  expect(timestamp - Number(block.timestamp)).toBeGreaterThanOrEqual(100);
  // 500 blocks are 100 s.
  expect(Number(number - found)).toBeLessThanOrEqual(750);
});

test("a block of some age is found by its time", async () => {
  const { client } = devnet;
  await client.setBlockTimestampInterval({ interval: 2 });
  await client.mine({ blocks: 200 });
  await client.removeBlockTimestampInterval();
  await using opened = open({});
  const { number, timestamp } = await opened.node.head();
  for (let turn = 0; turn < 3; turn++) {
    const found = await opened.node.blockBefore(100);
    const block = await client.getBlock({ blockNumber: found });
    expect(timestamp - Number(block.timestamp)).toBeGreaterThanOrEqual(100);
    expect(Number(number - found)).toBeLessThanOrEqual(100);
  }
  expect(await opened.node.blockBefore(10 * 365 * DAY_SECONDS)).toBe(0n);
});

test("the highest fee covers the rise of the base fee until the transaction is replaced", async () => {
  // Blocks come every 2 s, and full ones raise the base fee by an eighth.
  await devnet.client.setBlockTimestampInterval({ interval: 2 });
  await devnet.client.mine({ blocks: 20 });
  await devnet.client.removeBlockTimestampInterval();
  const marketOf = async (replaceAfterMs: number) => {
    await using opened = open({}, replaceAfterMs);
    return await opened.node.market();
  };
  const [soon, late] = [await marketOf(2_000), await marketOf(30_000)];
  expect(soon.maxFee - soon.tip).toBeLessThan(2n * soon.baseFee);
  expect(late.maxFee - late.tip).toBeGreaterThan(4n * late.baseFee);
});
