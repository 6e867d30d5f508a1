import { afterAll, beforeAll, expect, test } from "bun:test";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { readHead } from "../block/readHead";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { createRemitStateCache, type RemitStateCache } from "../remit/state/createRemitStateCache";
import { readAtRisk } from "../subscriptions/readAtRisk";
import { createCoverageReader } from "./createCoverageReader";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;

let devnet: Devnet;
let client: ChainClient;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: missedPayments, now: NOW });
  client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
});
afterAll(() => devnet.stop());

/** A cache whose reads begin when `open` is called. */
function heldCache() {
  const gate = Promise.withResolvers<void>();
  const cache = createRemitStateCache(devnet.contract);
  const reads: bigint[] = [];
  const held: RemitStateCache = {
    ...cache,
    async read(of, parameters) {
      reads.push(parameters.block.number);
      await gate.promise;
      return cache.read(of, parameters);
    },
  };
  return { held, reads, open: gate.resolve };
}

test("where the state takes too long to read there is no walk, and later the one that went on", async () => {
  const { held, reads, open } = heldCache();
  const coverage = createCoverageReader(held, { longestWaitMs: 10 });
  const block = await readHead(client);
  expect(await coverage.read(client, block)).toBeNull();
  open();
  await waitUntil("the walk is there", async () => (await coverage.read(client, block)) !== null);
  expect((await coverage.read(client, block))?.estimated).toBe(false);
  expect(reads).toEqual([block.number]);
});

test("subscribers at risk can be asked for again where the state takes too long to read", async () => {
  const { held, open } = heldCache();
  const coverage = createCoverageReader(held, { longestWaitMs: 10 });
  const [provider] = await devnet.client.request({ method: "eth_accounts" });
  if (provider === undefined) throw new Error("the node has no accounts");
  const parameters = {
    contract: devnet.contract,
    provider,
    first: 10,
    skip: 0,
    coverage,
    block: await readHead(client),
  };
  await expect(readAtRisk(client, parameters)).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
  open();
  await waitUntil("the walk is there", async () => (await coverage.read(client, parameters.block)) !== null);
  expect(await readAtRisk(client, parameters)).toMatchObject({ provider });
});

test("walks of two blocks are made one after another, so that only the first reads everything", async () => {
  const { held, reads, open } = heldCache();
  const coverage = createCoverageReader(held);
  const first = await readHead(client);
  await devnet.client.mine({ blocks: 1 });
  const second = await readHead(client);
  const walks = [coverage.read(client, first), coverage.read(client, second)];
  await waitUntil("the first read has begun", () => reads.length > 0);
  expect(reads).toEqual([first.number]);
  open();
  expect((await Promise.all(walks)).map((walk) => walk?.estimated)).toEqual([false, false]);
  expect(reads).toEqual([first.number, second.number]);
});

test("a walk that fails is made again for the next request, and does not stop that of another block", async () => {
  const cache = createRemitStateCache(devnet.contract);
  let failures = 1;
  const failing: RemitStateCache = {
    ...cache,
    read: (of, parameters) =>
      failures-- > 0 ? Promise.reject(new Error("the node fails")) : cache.read(of, parameters),
  };
  const coverage = createCoverageReader(failing);
  const first = await readHead(client);
  await devnet.client.mine({ blocks: 1 });
  const second = await readHead(client);
  const [failed, walk] = await Promise.allSettled([coverage.read(client, first), coverage.read(client, second)]);
  expect([failed.status, walk.status]).toEqual(["rejected", "fulfilled"]);
  expect((await coverage.read(client, first))?.estimated).toBe(false);
});
