import { afterAll, beforeAll, expect, test } from "bun:test";
import { startRpcStub } from "@dueday/chain/test/startRpcStub";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { EventView } from "@dueday/core/events/eventView";
import { onlyId } from "@dueday/devnet/onlyId";
import { demo } from "@dueday/devnet/scenarios/demo";
import { readReceipt, send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { settle } from "@dueday/devnet/test/settle";
import { Value } from "@sinclair/typebox/value";
import { concatHex, type Hash, type Hex, keccak256, numberToHex, toEventSelector, zeroHash } from "viem";
import { callKey, startSpoiledNode } from "../../test/startSpoiledNode";
import { readHead } from "../block/readHead";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { presentEvents } from "../events/presentEvents";
import { tokensOfLogs } from "../events/tokensOfLogs";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readTokenInfos } from "../reads/readTokenInfos";
import { readReceiptFacts } from "./readReceiptFacts";
import { readTransactionStatus, type TransactionStatus } from "./readTransactionStatus";

let devnet: Devnet;
let client: ChainClient;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: Date.UTC(2026, 2, 20, 12) / 1000 });
  client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
});
afterAll(() => devnet.stop());

test("a mined remit() is success, with its events in order and amounts in token units", async () => {
  const { contract, keeper } = devnet;
  const { transactionHash: hash } = await send(devnet.client, {
    from: keeper.address,
    to: contract,
    data: encodeRemit(),
  });
  // As on Base: the first one in the second of the transaction, the next 15 seconds later.
  const { timestamp } = await devnet.client.getBlock();
  await devnet.client.setNextBlockTimestamp({ timestamp });
  await devnet.client.mine({ blocks: 1 });
  await devnet.client.setNextBlockTimestamp({ timestamp: timestamp + 15n });
  await devnet.client.mine({ blocks: 1 });
  const head = await readHead(client);
  const status = await readTransactionStatus(client, { contract: devnet.contract, hash, head });
  expect(status).toMatchObject({
    status: "success",
    transactionHash: hash,
    mined: { confirmations: 3, confirmedSeconds: 15 },
  });
  const logs = status.mined?.logs ?? [];
  const tokens = await readTokenInfos(client, { contract, tokens: tokensOfLogs(logs, contract), block: head });
  const events = presentEvents({ logs, contract, tokens });
  expect(events).toHaveLength(logs.length);
  for (const event of events) expect([...Value.Errors(EventView, event)]).toEqual([]);
  expect(events.at(-1)).toMatchObject({ eventName: "CallerLog", caller: keeper.address, isFinished: true });
  const moved = events.filter((event) => event.eventName === "Transfer" && event.to === keeper.address);
  expect(moved).toEqual([expect.objectContaining({ tokenSymbol: "MRD", amount: "12.96", tokenDecimals: 18 })]);
  const payments = events.filter((event) => event.eventName === "ProviderPaid");
  expect(payments.length).toBeGreaterThan(0);
});

test.each([
  [
    "a deposit of the chain",
    { type: "0x7e", sourceHash: zeroHash, mint: "0x0", isSystemTx: true, depositNonce: "0x5" },
  ],
  ["one with another payer", { type: "0x79", payer: `0x${"11".repeat(20)}`, phaseStatuses: ["0x1"] }],
])("a receipt of a transaction of an unknown type is read: %s", async (_, fields) => {
  const hash = `0x${"ab".repeat(32)}` as const;
  const head = await readHead(client);
  const receipt = {
    transactionHash: hash,
    blockHash: head.hash,
    blockNumber: numberToHex(head.number),
    status: "0x1",
    logs: [],
    gasUsed: "0xb6ba",
    effectiveGasPrice: "0x0",
    ...fields,
  };
  const stub = startRpcStub({
    chainId: 31337,
    answer({ method }) {
      if (method === "eth_getTransactionReceipt") return { result: receipt };
      if (method === "eth_getTransactionByHash") return { result: { hash, ...fields } };
      const block = { ...head, parentHash: zeroHash };
      return {
        result: Object.fromEntries(
          Object.entries(block).map(([key, value]) => [key, typeof value === "bigint" ? numberToHex(value) : value]),
        ),
      };
    },
  });
  try {
    const other = createChainClient({ chainId: 31337, rpcUrls: [stub.url], requestTimeoutMs: 5_000 });
    const status = await readTransactionStatus(other, { contract: devnet.contract, hash, head });
    expect(status).toMatchObject({
      status: "success",
      mined: { confirmations: 1, confirmedSeconds: 0, gasUsed: 0xb6ban },
    });
  } finally {
    await stub.stop();
  }
});

/** The status of a transaction of the keeper that is mined and reverts. */
async function statusOfFailure(data: Hex): Promise<TransactionStatus> {
  const { contract, keeper } = devnet;
  const call = { from: keeper.address, to: contract, data, gas: numberToHex(1_000_000n) };
  const hash = await devnet.client.request({ method: "eth_sendTransaction", params: [call] });
  expect((await readReceipt(devnet.client, hash)).status).toBe("0x0");
  return await readTransactionStatus(client, { contract, hash, head: await readHead(client) });
}

test("a reverted transaction has its reason where repeating it gives one", async () => {
  const { keeper, subscriptions } = devnet;
  const status = await statusOfFailure(
    encodeUnsubscribeByProvider(onlyId(subscriptions.reader ?? zeroHash), keeper.address),
  );
  expect(status).toMatchObject({ status: "reverted", revert: { code: "8" }, mined: { logs: [] } });
});

test("a remit() with nothing left to settle has the protocol's own 6", async () => {
  const snapshot = await devnet.client.snapshot();
  await settle(devnet);
  const status = await statusOfFailure(encodeRemit());
  expect(status.revert).toMatchObject({ code: "6", name: "NOTHING_TO_REMIT" });
  await devnet.client.revert({ id: snapshot });
});

test("a remit() on a day on which nothing is due has the protocol's own 6, although the day is open", async () => {
  const snapshot = await devnet.client.snapshot();
  const isOpen = async () => {
    const head = await readHead(client);
    const [next] = await readMany(client, [protocolRead(devnet.contract, "nextUncheckedDay", [])], head);
    return expectValue(next, "nextUncheckedDay") <= dayNumber(head.timestamp);
  };
  // Each day is settled until one has nothing: remit() leaves it open.
  do {
    const { timestamp } = await devnet.client.getBlock();
    await devnet.client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(DAY_SECONDS) });
    await devnet.client.mine({ blocks: 1 });
    await settle(devnet);
  } while (!(await isOpen()));
  const status = await statusOfFailure(encodeRemit());
  expect(status.revert).toMatchObject({ code: "6", name: "NOTHING_TO_REMIT" });
  await devnet.client.revert({ id: snapshot });
});

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
/** 96 bytes of topics after the first, and 32 of data: one argument too many. */
const ODD_TOPICS: Hex[] = [TRANSFER, zeroHash, zeroHash, zeroHash];

type Log = { topics: Hex[] };

function changeTopics(receipt: unknown, change: (topics: Hex[]) => Hex[]): unknown {
  // anvil's receipt.
  const { logs, ...rest } = receipt as { logs: Log[] };
  const changed = logs.map((log) => (log.topics[0] === TRANSFER ? { ...log, topics: change(log.topics) } : log));
  return { ...rest, logs: changed };
}

async function minedRemit(): Promise<Hash> {
  const { contract, keeper } = devnet;
  const { transactionHash } = await send(devnet.client, { from: keeper.address, to: contract, data: encodeRemit() });
  return transactionHash;
}

test.each([
  ["with a topic twice", (topics: Hex[]) => [...topics, ...topics.slice(-1)]],
  [
    "with its first address twice",
    ([topic = TRANSFER, from = zeroHash, to = zeroHash]: Hex[]) => [topic, from, from, to],
  ],
  ["without a topic", (topics: Hex[]) => topics.slice(0, -1)],
])("a receipt that has a token's Transfer %s is refused: the answer would lack it", async (_what, change) => {
  const snapshot = await devnet.client.snapshot();
  const hash = await minedRemit();
  const node = startSpoiledNode(devnet.url);
  const spoiled = node.open({
    call: callKey({ method: "eth_getTransactionReceipt", params: [hash] }),
    always: true,
    answer: (sound) => [{ ...sound, result: changeTopics(sound.result, change) }],
  });
  const head = await readHead(client);
  const { contract } = devnet;
  const read = (url: string) =>
    readTransactionStatus(createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 20_000 }), {
      contract,
      hash,
      head,
    });
  await expect(read(spoiled.url)).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
  const facts = { transactionHash: hash, blockHash: (await read(node.open(null).url)).mined?.blockHash ?? zeroHash };
  const indexer = createChainClient({ chainId: 31337, rpcUrls: [spoiled.url], requestTimeoutMs: 20_000 });
  await expect(readReceiptFacts(indexer.rpc, facts)).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
  await node.stop();
  await devnet.client.revert({ id: snapshot });
});

test("a log that only looks like a broken Transfer, and is on the chain, is answered as it is", async () => {
  const { contract, keeper } = devnet;
  // Puts the topics and the log's place in memory on the stack, the first one last: LOG4.
  const emit = concatHex([
    ...ODD_TOPICS.toReversed().flatMap((topic): Hex[] => ["0x7f", topic]),
    "0x6020",
    "0x5f",
    "0xa4",
  ]);
  const hash = await devnet.client.request({
    method: "eth_sendTransaction",
    params: [{ from: keeper.address, data: emit, gas: numberToHex(1_000_000n) }],
  });
  const { blockHash } = await readReceipt(devnet.client, hash);
  const { mined } = await readTransactionStatus(client, { contract, hash, head: await readHead(client) });
  const logs = [{ topics: ODD_TOPICS, data: zeroHash }];
  expect(mined).toMatchObject({ logs });
  expect(await readReceiptFacts(client.rpc, { transactionHash: hash, blockHash })).toMatchObject({ logs });
  expect(tokensOfLogs(mined?.logs ?? [], contract)).toEqual([]);
});

test("a transaction in no block is pending, one that no node knows is unknown", async () => {
  const { keeper } = devnet;
  await devnet.client.setAutomine(false);
  const hash = await devnet.client.request({
    method: "eth_sendTransaction",
    params: [{ from: keeper.address, to: keeper.address, data: "0x" }],
  });
  const head = await readHead(client);
  expect(await readTransactionStatus(client, { contract: devnet.contract, hash, head })).toEqual({
    status: "pending",
    transactionHash: hash,
  });
  expect(
    (await readTransactionStatus(client, { contract: devnet.contract, hash: keccak256("0x12"), head })).status,
  ).toBe("unknown");
  await devnet.client.mine({ blocks: 1 });
  await devnet.client.setAutomine(true);
});
