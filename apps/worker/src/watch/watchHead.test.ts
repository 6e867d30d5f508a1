import { afterAll, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { KnownBlock } from "./knownBlocks";
import { watchHead } from "./watchHead";

const logger = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const noon = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS + DAY_SECONDS / 2;
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function watched(seen: readonly KnownBlock[] = []) {
  const devnet = await startDevnet({ scenario: missedPayments, now: noon });
  cleanUps.push(() => devnet.stop());
  const methods: string[] = [];
  const client = createChainClient({
    chainId: 31337,
    rpcUrls: [devnet.url],
    requestTimeoutMs: 5_000,
    onRequest: ({ method }) => void methods.push(method),
  });
  const blocks: bigint[] = [];
  const reorgs: bigint[] = [];
  const watch = watchHead({
    client,
    contract: devnet.contract,
    logger,
    readSeen: async () => seen,
    onBlock: async ({ number }) => void blocks.push(number),
    onReorg: async (fromBlock) => void reorgs.push(fromBlock),
  });
  cleanUps.push(() => watch.stop());
  await waitUntil("the first head", () => blocks.length === 1);
  /** Waits until the watch has looked at the head that the node has now. */
  const settle = async () => {
    const looks = methods.length;
    await waitUntil(
      "two more looks",
      () => methods.slice(looks).filter((name) => name === "eth_getBlockByNumber").length >= 2,
    );
  };
  return { devnet, client, blocks, reorgs, methods, settle };
}

test("a block with a log of the contract is told, one without is not", async () => {
  const { devnet, client, blocks, settle } = await watched();
  await devnet.client.mine({ blocks: 1, interval: 1 });
  await settle();
  expect(blocks.length).toBe(1);
  const [from] = await devnet.client.request({ method: "eth_accounts" });
  await devnet.client.request({
    method: "eth_sendTransactionSync",
    params: [{ from: from ?? "0x", to: devnet.contract, data: encodeRemit(), gas: "0x1000000" }],
  });
  await waitUntil("the remit to be told", () => blocks.length === 2);
  expect(blocks[1]).toBe((await readHead(client)).number);
});

test("the first block of a UTC day is told, whatever it holds", async () => {
  const { devnet, blocks } = await watched();
  await devnet.client.setNextBlockTimestamp({ timestamp: BigInt(noon + DAY_SECONDS) });
  await devnet.client.mine({ blocks: 1 });
  await waitUntil("the new day to be told", () => blocks.length === 2);
});

test("while nothing happens a look costs one request", async () => {
  const { methods, settle } = await watched();
  await settle();
  const before = methods.length;
  await settle();
  expect(new Set(methods.slice(before))).toEqual(new Set(["eth_getBlockByNumber"]));
});

test("a reorganisation is told from its first block on, and the new head after it", async () => {
  const { devnet, client, blocks, reorgs, settle } = await watched();
  await devnet.client.mine({ blocks: 1, interval: 1 });
  await settle();
  const id = await devnet.client.snapshot();
  const common = await readHead(client);
  for (let count = 0; count < 2; count++) {
    await devnet.client.mine({ blocks: 1, interval: 1 });
    await settle();
  }
  const head = await readHead(client);
  await devnet.client.revert({ id });
  await devnet.client.setNextBlockTimestamp({ timestamp: head.timestamp + 100n });
  await devnet.client.mine({ blocks: 3, interval: 1 });
  expect((await client.getBlock({ blockNumber: head.number })).hash).not.toBe(head.hash);
  await waitUntil("the reorganisation and the head after it", () => reorgs.length === 1 && blocks.length === 2);
  expect(reorgs).toEqual([common.number + 1n]);
});

test("a block that was replaced while nobody watched is told at the start", async () => {
  const hash = `0x${"ee".repeat(32)}` as const;
  const { reorgs } = await watched([{ number: 2n, hash }]);
  expect(reorgs).toEqual([0n]);
});
