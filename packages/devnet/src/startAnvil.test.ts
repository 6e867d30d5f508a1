import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
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

test("the states that a long chain stores are removed when its node stops", async () => {
  const anvil = await startAnvil();
  const stored = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`dueday-anvil-${process.pid}-`));
  await createDevnetClient(anvil.url).mine({ blocks: 1_000 });
  expect(await stored()).toHaveLength(1);
  await anvil.stop();
  expect(await stored()).toEqual([]);
});
