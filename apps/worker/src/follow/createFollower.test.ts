import { afterAll, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { type ChainClient, createChainClient, type Rpc } from "@dueday/chain/client/createChainClient";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { CONTRACT, StubChain } from "@dueday/worker/test/stubChain";
import type { ServerWebSocket } from "bun";
import type { ChainUpdate } from "../logs/chainUpdate";
import { createFollower } from "./createFollower";
import type { KnownBlock } from "./createKnownBlocks";
import { needsScan } from "./needsScan";

const logger = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const noon = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS + DAY_SECONDS / 2;
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function startFollowing(seen: readonly KnownBlock[] = []) {
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
  const following = createFollower({
    chainId: 31337,
    client,
    contract: devnet.contract,
    logger,
    profile: "fresh",
    wsUrl: null,
    readSnapshotBlocks: async () => seen,
    async onUpdate(update) {
      if (needsScan(update)) blocks.push(update.head.number);
    },
    onReorg: async (fromBlock) => void reorgs.push(fromBlock),
    onHead() {},
  });
  cleanUps.push(() => following.stop());
  await waitUntil("the first head", () => blocks.length === 1);
  /** Waits until the node's present head was polled. */
  const settle = async () => {
    const polls = methods.length;
    await waitUntil(
      "two more polls",
      () => methods.slice(polls).filter((name) => name === "eth_getBlockByNumber").length >= 2,
    );
  };
  return { devnet, client, blocks, reorgs, methods, settle };
}

test("a block with a log of the contract is reported, one without is not", async () => {
  const { devnet, client, blocks, settle } = await startFollowing();
  await devnet.client.mine({ blocks: 1, interval: 1 });
  await settle();
  expect(blocks.length).toBe(1);
  const [from] = await devnet.client.request({ method: "eth_accounts" });
  await send(devnet.client, { from: from ?? "0x", to: devnet.contract, data: encodeRemit() });
  await waitUntil("the block of the remit to be reported", () => blocks.length === 2);
  expect(blocks[1]).toBe((await readHead(client)).number);
});

test("the first block of a UTC day is reported, whatever it holds", async () => {
  const { devnet, blocks } = await startFollowing();
  await devnet.client.setNextBlockTimestamp({ timestamp: BigInt(noon + DAY_SECONDS) });
  await devnet.client.mine({ blocks: 1 });
  await waitUntil("the new day to be reported", () => blocks.length === 2);
});

test("while nothing happens a poll costs one request: the head, with the check of the chain id", async () => {
  const { methods, settle } = await startFollowing();
  await settle();
  const before = methods.length;
  await settle();
  expect(new Set(methods.slice(before))).toEqual(new Set(["eth_chainId", "eth_getBlockByNumber"]));
});

/** A frugal follower behind a cap of 10 blocks, which polls each 50 ms. */
async function startFrugal(profile: NodeProfile = {}) {
  const devnet = await startDevnet({ scenario: missedPayments, now: noon });
  cleanUps.push(() => devnet.stop());
  const proxy = startNodeProxy(devnet.url, { logsRange: { blocks: 10, refusal: "-32600" }, ...profile });
  cleanUps.push(() => proxy.stop());
  const client = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 5_000 });
  const updates: ChainUpdate[] = [];
  const failures: unknown[] = [];
  const following = createFollower({
    chainId: 31337,
    client,
    contract: devnet.contract,
    logger,
    profile: "frugal",
    wsUrl: null,
    headEveryMs: 50,
    readSnapshotBlocks: async () => [],
    onUpdate: async (update) => void updates.push(update),
    onReorg: async () => {},
    onHead() {},
    onFailure: (error) => void failures.push(error),
  });
  cleanUps.push(() => following.stop());
  /** Has remit() mined with the next blocks. */
  async function holdRemit(): Promise<void> {
    await devnet.client.setAutomine(false);
    const call = { from: devnet.keeper.address, to: devnet.contract, data: encodeRemit(), gas: "0x1c9c380" as const };
    await devnet.client.request({ method: "eth_sendTransaction", params: [call] });
  }
  /** The update of 40 blocks. Polls wait until they are mined; where one got between, they are mined again. */
  async function mine(): Promise<ChainUpdate | undefined> {
    const known = updates.length;
    const mining = Promise.withResolvers<void>();
    proxy.change({ hold: mining.promise });
    await devnet.client.mine({ blocks: 40, interval: 0 });
    mining.resolve();
    const mined = await devnet.client.getBlockNumber({ cacheTime: 0 });
    await waitUntil("the new head", () => updates.slice(known).some(({ head }) => head.number >= mined));
    const [update, ...others] = updates.slice(known);
    return others.length === 0 ? update : mine();
  }
  await waitUntil("the first head", () => updates.length === 1);
  // The cap is learned, and the storage seen.
  await mine();
  await mine();
  return { devnet, proxy, updates, failures, mine, holdRemit };
}

test("a frugal follower reads blocks that take many ranges only where the contract's storage has changed", async () => {
  const { updates, mine, holdRemit } = await startFrugal();
  const quiet = await mine();
  expect(quiet).toMatchObject({
    logs: [],
    unread: { from: Number(quiet?.after?.number) + 1, to: Number(quiet?.head.number) },
  });
  const before = updates.length;
  await holdRemit();
  await mine();
  const changed = updates.slice(before).filter(({ logs }) => logs !== null && logs.length > 0);
  expect(changed.map(({ unread }) => unread)).toEqual([undefined]);
});

test("a frugal follower that could not read the logs of a change of storage reads them with the next poll", async () => {
  const { devnet, proxy, updates, failures, mine, holdRemit } = await startFrugal();
  const before = updates.length;
  await holdRemit();
  proxy.change({ without: { methods: ["eth_getLogs"], refusal: "http_403" } });
  const changed = mine();
  await waitUntil("the logs to be refused", () => failures.length > 0);
  proxy.change({ without: { methods: [], refusal: "http_403" } });
  await changed;
  const { number } = await devnet.client.getBlock();
  const [remit] = await devnet.client.getLogs({ address: devnet.contract, fromBlock: number - 40n });
  expect(remit).toBeDefined();
  expect(updates.slice(before).flatMap(({ logs }) => logs?.map(({ blockNumber }) => blockNumber))).toContain(
    Number(remit?.blockNumber),
  );
});

test("a frugal follower reads an event that a reorganisation moved to a later block, although the storage is as before", async () => {
  const { devnet, updates, mine, holdRemit } = await startFrugal();
  const id = await devnet.client.snapshot();
  await holdRemit();
  await mine();
  await devnet.client.revert({ id });
  await mine();
  const before = updates.length;
  await holdRemit();
  await mine();
  const read = updates.slice(before).flatMap(({ logs }) => logs ?? []);
  expect(read.map(({ event }) => event.event)).toContain("CallerLog");
});

test("a frugal follower reads every block where the node refuses to prove storage, and asks for a proof once", async () => {
  const { proxy, mine } = await startFrugal({ without: { methods: ["eth_getProof"], refusal: "-32601" } });
  const quiet = await mine();
  expect([quiet?.logs, quiet?.unread]).toEqual([[], undefined]);
  const asked = proxy.exchanges.flat();
  expect(asked.filter((method) => method === "eth_getProof")).toHaveLength(1);
  expect(asked.filter((method) => method === "eth_getLogs").length).toBeGreaterThanOrEqual(12);
});

/** A follower of a chain whose node answers with the head `behind` blocks ago: a client lets older heads pass after some seconds. */
async function startOnStub(wsUrl: string | null = null) {
  const chain = new StubChain(31337);
  const node = { behind: 0, polledAt: [] as number[], logRequests: 0 };
  const rpc: Rpc = async (method, params) => {
    const asked = params as unknown[]; // as the follower sends them
    if (asked[0] === "latest") node.polledAt.push(performance.now());
    if (method === "eth_getLogs") node.logRequests++;
    return chain.answer(method, asked, chain.head - node.behind);
  };
  const updates: ChainUpdate[] = [];
  const following = createFollower({
    chainId: 31337,
    client: { rpc } as ChainClient, // the follower calls nothing else
    contract: CONTRACT,
    logger,
    profile: "fresh",
    wsUrl,
    readSnapshotBlocks: async () => [],
    onUpdate: async (update) => void updates.push(update),
    onReorg: async () => {},
    onHead() {},
  });
  cleanUps.push(() => following.stop());
  const head = () => Number(updates.at(-1)?.head.number ?? -1);
  return { chain, node, updates, head };
}

test("a node that has fallen behind is asked no more often than one whose head stands still", async () => {
  const { chain, node, head } = await startOnStub();
  for (let block = 1; block <= 4; block++) {
    chain.mine([]);
    await waitUntil("the block to be followed", () => head() === block);
  }
  node.behind = 2;
  const before = node.polledAt.length;
  await waitUntil("two polls", () => node.polledAt.length >= before + 2);
  const [first = 0, second = 0] = node.polledAt.slice(before);
  expect(second - first).toBeGreaterThan(500);
});

test("an event that a WebSocket sent of a block above a head that shows a reorganisation is read with its block", async () => {
  const sockets: ServerWebSocket<unknown>[] = [];
  const server = Bun.serve({
    port: 0,
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 426 })),
    websocket: {
      open: (socket) => void sockets.push(socket),
      message(socket, text) {
        const { id, method }: { id: number; method: string } = JSON.parse(String(text));
        socket.send(JSON.stringify({ id, result: method === "eth_chainId" ? "0x7a69" : "0x1" }));
      },
    },
  });
  cleanUps.push(() => server.stop(true));
  const push = (result: unknown) => {
    const message = { method: "eth_subscription", params: { subscription: "0x1", result } };
    for (const socket of sockets) socket.send(JSON.stringify(message));
  };
  const { chain, node, updates, head } = await startOnStub(server.url.href.replace("http", "ws"));
  await waitUntil("the subscription to be relied on", async () => {
    const requests = node.logRequests;
    chain.mine([]);
    push({ removed: true });
    await waitUntil("the block to be followed", () => head() === chain.head);
    return node.logRequests === requests;
  });
  chain.rollBack(chain.head - 1);
  chain.mine([], 1);
  chain.mine([{ id: 1, provider: 1, subscriber: 11, amount: 1n, code: 6 }], 1);
  const number = `0x${chain.head.toString(16)}`;
  const [log] = chain.answer("eth_getLogs", [{ fromBlock: number, toBlock: number }]) as unknown[]; // this method is answered with a list
  node.behind = 1;
  const before = updates.length;
  push(log);
  push({ removed: true });
  await waitUntil("the reorganisation", () => updates.length > before);
  node.behind = 0;
  await waitUntil("the block of the event", () => head() === chain.head);
  expect(updates.at(-1)?.logs).toHaveLength(1);
}, 30_000);

test("a reorganisation is reported from its first block on, and then the new head", async () => {
  const { devnet, client, blocks, reorgs, settle } = await startFollowing();
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

test("a snapshot's block that was replaced while no worker ran is reported at the start", async () => {
  const hash = `0x${"ee".repeat(32)}` as const;
  const { reorgs } = await startFollowing([{ number: 2n, hash }]);
  expect(reorgs).toEqual([0n]);
});
