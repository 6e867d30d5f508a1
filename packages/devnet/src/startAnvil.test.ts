import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { zeroAddress } from "viem";
import { createDevnetClient } from "./client";
import { DEVNET_CHAIN_ID, startAnvil } from "./startAnvil";

test("a node starts with the devnet's chain id at the given time, and has ended after stop()", async () => {
  const anvil = await startAnvil({ timestamp: 1_700_000_000 });
  const client = createDevnetClient(anvil.url);
  expect(await client.getChainId()).toBe(DEVNET_CHAIN_ID);
  expect((await client.getBlock()).timestamp).toBe(1_700_000_000n);
  await anvil.stop();
  expect(() => process.kill(anvil.pid, 0)).toThrow();
});

test("two nodes do not share a port", async () => {
  const nodes = await Promise.all([startAnvil(), startAnvil()]);
  await Promise.all(nodes.map((node) => node.stop()));
  expect(new Set(nodes.map((node) => node.url)).size).toBe(2);
});

test("a running node has no temporary file that a killed process would leave behind", async () => {
  const anvil = await startAnvil();
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`dueday-anvil-${process.pid}-`));
  await anvil.stop();
  expect(left).toEqual([]);
});

test("a long chain stores nothing on the disk, and can be read at a block of some minutes before", async () => {
  const anvil = await startAnvil();
  const client = createDevnetClient(anvil.url);
  await client.mine({ blocks: 1_200 });
  const stored = (await readdir(tmpdir())).filter((name) => name.startsWith(`dueday-anvil-${process.pid}-`));
  const balance = client.getBalance({ address: zeroAddress, blockNumber: 1n });
  expect(stored).toEqual([]);
  expect(await balance).toBe(0n);
  await anvil.stop();
});

test("a node with a block time of 200 ms mines about five blocks a second, several with one timestamp", async () => {
  const anvil = await startAnvil({ blockTimeMs: 200 });
  const client = createDevnetClient(anvil.url);
  await waitUntil("eight blocks are mined", async () => (await client.getBlockNumber()) >= 8n);
  const blocks = await Promise.all(
    [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].map((blockNumber) => client.getBlock({ blockNumber })),
  );
  const times = new Set(blocks.map(({ timestamp }) => timestamp));
  await anvil.stop();
  expect(times.size).toBeLessThan(5);
});
