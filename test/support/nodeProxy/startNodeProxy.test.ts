import { afterAll, expect, test } from "bun:test";
import { startAnvil } from "@dueday/devnet/startAnvil";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { type NodeProxy, startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";

// What the imitation of Base shows; the rows of test/nodes use the other limits and faults.

const anvil = await startAnvil({ blockTimeMs: 200, gasLimit: 40_000_000n });
const proxies: NodeProxy[] = [];
afterAll(async () => {
  for (const proxy of proxies) await proxy.stop();
  await anvil.stop();
});

const ACCOUNT = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

type Answer = { result?: unknown; error?: { code: number; message: string } };

function open(profile: NodeProfile) {
  const proxy = startNodeProxy(anvil.url, profile);
  proxies.push(proxy);
  const post = async (body: unknown): Promise<unknown> =>
    (await fetch(proxy.url, { method: "POST", body: JSON.stringify(body) })).json();
  const ask = async (method: string, ...params: unknown[]): Promise<Answer> =>
    // The form of every JSON-RPC answer.
    (await post({ jsonrpc: "2.0", id: 1, method, params })) as Answer;
  return { proxy, post, ask };
}

/** Some fields of a header. */
type Header = { number: string; timestamp: string; timestampMs: string; logsBloom: string; gasUsed: string };

async function head(ask: ReturnType<typeof open>["ask"], block = "latest"): Promise<Header> {
  // The node answers with a header.
  return (await ask("eth_getBlockByNumber", block, false)).result as Header;
}

test("blocks of one second have the milliseconds of 200 ms each, and saturated blooms without being empty", async () => {
  const { ask } = open({ timestampMs: true, saturatedBlooms: true });
  await waitUntil("the chain has ten blocks", async () => Number((await head(ask)).number) >= 10);
  const numbers = Array.from({ length: 10 }, (_, index) => `0x${(index + 1).toString(16)}`);
  const headers = await Promise.all(numbers.map((number) => head(ask, number)));
  const times = headers.map(({ timestampMs }) => Number(timestampMs));
  expect(new Set(times).size).toBe(10);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const { timestamp, timestampMs, logsBloom, gasUsed } of headers) {
    expect(Math.floor(Number(timestampMs) / 1_000)).toBe(Number(timestamp));
    expect(logsBloom).toBe(`0x${"f".repeat(512)}`);
    expect(Number(gasUsed)).toBeGreaterThan(0);
  }
});

test("safe and finalized lag by the given time, in headers and in ranges of logs", async () => {
  const { ask } = open({ finality: { safeMs: 1_000, finalizedMs: 600_000 } });
  const start = Number((await head(ask)).number);
  await waitUntil("ten blocks more", async () => Number((await head(ask)).number) >= start + 10);
  const [safe, finalized, latest] = [await head(ask, "safe"), await head(ask, "finalized"), await head(ask)];
  expect(Number(latest.number) - Number(safe.number)).toBeWithin(4, 9);
  expect(Number(finalized.number)).toBe(start);
  expect(await ask("eth_getLogs", { fromBlock: "0x0", toBlock: "safe" })).toMatchObject({ result: [] });
});

test("a node without the tags refuses them", async () => {
  const { ask } = open({ finality: "refused" });
  expect(await ask("eth_getBlockByNumber", "safe", false)).toMatchObject({ error: { code: -32602 } });
});

test("a batch beyond the cap of Base's endpoint is refused in each item, and counted", async () => {
  const { proxy, post } = open({ batchCap: { calls: 2, refusal: "each_-32014" } });
  const call = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_blockNumber", params: [] });
  expect(await post([call(1), call(2)])).toMatchObject([{ id: 1, result: expect.any(String) }, { id: 2 }]);
  const error = { code: -32014, message: "maximum 2 calls in 1 batch" };
  expect(await post([call(1), call(2), call(3)])).toMatchObject([1, 2, 3].map((id) => ({ id, error })));
  expect([proxy.refused(), proxy.calls.get("eth_blockNumber")]).toEqual([3, 5]);
});

test("a range of logs beyond the cap is refused, also where it ends at the latest block", async () => {
  const { ask } = open({ logsRange: { blocks: 3, refusal: "-32602" } });
  await waitUntil("the chain has five blocks", async () => Number((await head(ask)).number) >= 5);
  expect(await ask("eth_getLogs", { fromBlock: "0x1", toBlock: "0x3" })).toMatchObject({ result: [] });
  const error = { code: -32602, message: "range 4 exceeds limit of 3" };
  expect(await ask("eth_getLogs", { fromBlock: "0x1", toBlock: "0x4" })).toMatchObject({ error });
  expect(await ask("eth_getLogs", { fromBlock: "0x1", toBlock: "latest" })).toMatchObject({ error: { code: -32602 } });
});

test("a simulation has the gas of each simulated block, of the request, and times in order", async () => {
  const { ask } = open({ simulation: { blockGas: true, requestGas: 60_000, risingTimes: true } });
  const { number, timestamp } = await head(ask);
  const call = (gas: number) => ({ from: ACCOUNT, to: ACCOUNT, gas: `0x${gas.toString(16)}` });
  const block = (after: number, ...gas: number[]) => ({
    blockOverrides: {
      number: `0x${(Number(number) + after).toString(16)}`,
      time: `0x${(Number(timestamp) + after).toString(16)}`,
    },
    calls: gas.map(call),
  });
  const simulate = (...blockStateCalls: unknown[]) => ask("eth_simulateV1", { blockStateCalls }, number);
  // Each call uses 21,000.
  expect(await simulate(block(1, 39_000_000), block(2, 39_000_000))).toMatchObject({ result: expect.any(Array) });
  expect(await simulate(block(1, 39_990_000, 39_990_000))).toMatchObject({ error: { code: -38015 } });
  expect(await simulate(block(1, 39_000_000), block(1, 39_000_000))).toMatchObject({ error: { code: -38021 } });
  const tooMany = [block(1, 30_000), block(2, 30_000), block(3, 30_000)];
  expect(await simulate(...tooMany)).toMatchObject({ error: { code: -38013 } });
});
