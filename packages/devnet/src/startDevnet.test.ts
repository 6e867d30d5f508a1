import { afterAll, expect, test } from "bun:test";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { empty } from "./scenarios/empty";
import { send } from "./send";
import { startDevnet } from "./startDevnet";

const now = Math.floor(Date.now() / 1_000);
const devnet = await startDevnet({ scenario: empty, now, blockTimeMs: 200, gasLimit: 40_000_000n });
const { client, keeper } = devnet;
afterAll(() => devnet.stop());

test("a devnet with a block time mines on a schedule within its gas limit, and stands still once stopped", async () => {
  const start = await client.getBlockNumber();
  await waitUntil("ten blocks are mined", async () => (await client.getBlockNumber()) >= start + 10n);
  const numbers = Array.from({ length: 10 }, (_, index) => start + 1n + BigInt(index));
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })));
  expect(new Set(blocks.map(({ timestamp }) => timestamp)).size).toBeLessThan(6);
  expect(blocks.at(-1)?.gasLimit).toBe(40_000_000n);
  const { status } = await send(client, { from: keeper.address, to: keeper.address, data: "0x" });
  expect(status).toBe("0x1");

  await devnet.stopBlocks();
  const stopped = await client.getBlockNumber();
  await client.request({
    method: "eth_sendTransaction",
    params: [{ from: keeper.address, to: keeper.address, data: "0x" }],
  });
  expect(await client.getBlockNumber()).toBe(stopped);
});
