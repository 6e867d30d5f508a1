import { afterAll, expect, test } from "bun:test";
import { createDevnetClient } from "@dueday/devnet/client";
import { DEVNET_CHAIN_ID, startAnvil } from "@dueday/devnet/startAnvil";
import { createChainClient } from "../client/createChainClient";
import { pinBlock } from "./pinBlock";

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const chain = createDevnetClient(anvil.url);
const client = createChainClient({ chainId: DEVNET_CHAIN_ID, rpcUrls: [anvil.url], requestTimeoutMs: 5_000 });

async function mineAt(timestamp: bigint): Promise<void> {
  await chain.setNextBlockTimestamp({ timestamp });
  await chain.mine({ blocks: 1 });
}

test("an answer is never pinned on a block of a day's last second, however many blocks there are in it", async () => {
  const midnight = ((await chain.getBlock()).timestamp / 86_400n + 2n) * 86_400n;
  await mineAt(midnight - 2n);
  const before = await chain.getBlock();
  expect((await pinBlock(client)).hash).toBe(before.hash);
  for (let block = 0; block < 3; block++) {
    await mineAt(midnight - 1n);
    expect((await chain.getBlock()).timestamp).toBe(midnight - 1n);
    expect((await pinBlock(client)).hash).toBe(before.hash);
  }
  await mineAt(midnight);
  expect((await pinBlock(client)).hash).toBe((await chain.getBlock()).hash);
});

test("a chain whose blocks are all in the last second of a day is UPSTREAM_UNAVAILABLE, with Retry-After", async () => {
  const midnight = ((await chain.getBlock()).timestamp / 86_400n + 1n) * 86_400n;
  for (let block = 0; block < 32; block++) await mineAt(midnight - 1n);
  await expect(pinBlock(client)).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE", retryable: true });
});
