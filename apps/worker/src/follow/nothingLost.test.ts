import { afterEach, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import { readLogPositions } from "@dueday/db/eventIndex/logPositions";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testSeed } from "@dueday/test-support/testSeed";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startWorker } from "../startWorker";

const CHAIN_ID = 31337;
const EVENTS = 12;
const random = randomFrom(testSeed);
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startFollowed(faults: NodeProfile, settings: (devnet: Devnet) => Record<string, string> = () => ({})) {
  const { database } = await createTestDatabase();
  const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
  cleanUps.push(() => devnet.stop());
  const proxy = startNodeProxy(devnet.url, faults);
  cleanUps.push(() => proxy.stop());
  const config = parseConfig({
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: devnet.contract,
    SCAN_INTERVAL_MS: "600000",
    STALE_AFTER_MS: "1200000",
    LOG_LEVEL: "silent",
    ...settings(devnet),
  });
  const worker = startWorker(config, {
    database,
    logger: createLogger(config),
    clock: Date.now,
    onFatal: (error) => console.error(error),
  });
  cleanUps.push(() => worker.stop());
  const scope = { chainId: CHAIN_ID, contract: devnet.contract };
  await waitUntil("the index to begin", async () => (await readCheckpoint(database, scope)) !== null);

  async function stored(): Promise<string[]> {
    const positions = await readLogPositions(database, scope, { from: 0, to: Number.MAX_SAFE_INTEGER });
    return positions.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`);
  }
  async function onChain(): Promise<string[]> {
    const logs = await devnet.client.getLogs({ address: devnet.contract, fromBlock: 0n });
    const known = logs.filter(({ topics: [topic] }) => topic !== undefined && protocolEventTopics.includes(topic));
    return known.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`);
  }
  async function emit(description: string): Promise<void> {
    const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
    const data = encodeEditProvDetails(profile);
    await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data });
  }
  return { devnet, database, proxy, scope, stored, onChain, emit };
}

async function emitAll({ emit }: { emit(description: string): Promise<void> }): Promise<void> {
  for (let event = 0; event < EVENTS; event++) {
    await emit(`event ${event}`);
    await Bun.sleep(random() * 100);
  }
}

test.each([
  ["blooms that announce them", { logsDelayMs: 1_500 }],
  ["blooms that show nothing", { logsDelayMs: 300, saturatedBlooms: true }],
  ["blooms that show nothing, later", { logsDelayMs: 1_500, saturatedBlooms: true }],
])("every event is indexed where a node serves blocks before their logs: %s", async (_, faults) => {
  const followed = await startFollowed(faults);
  await emitAll(followed);
  await waitUntil("every event to be indexed", async () => {
    // Late logs are found with the next block at the latest.
    await followed.devnet.client.mine({ blocks: 1 });
    await Bun.sleep(200);
    return (await followed.stored()).length === (await followed.onChain()).length;
  });
  expect(await followed.stored()).toEqual(await followed.onChain());
});

test("over a WebSocket, events are indexed as they are sent, and the node is not asked for logs", async () => {
  const followed = await startFollowed({ saturatedBlooms: true }, (devnet) => ({
    [`CHAIN_${CHAIN_ID}_WS_URL`]: devnet.url.replace("http", "ws"),
  }));
  const { calls } = followed.proxy;
  await waitUntil("the subscription to be relied on", async () => {
    calls.clear();
    await followed.emit("probe");
    await waitUntil("the probe", async () => (await followed.stored()).length === (await followed.onChain()).length);
    return !calls.has("eth_getLogs of events");
  });
  await emitAll(followed);
  await waitUntil("every event", async () => (await followed.stored()).length === (await followed.onChain()).length);
  expect(await followed.stored()).toEqual(await followed.onChain());
  // Some are asked for again where the head was polled before its events were sent.
  expect(calls.get("eth_getLogs of events") ?? 0).toBeLessThan(EVENTS / 2);
});
