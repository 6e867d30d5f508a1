import { afterAll, expect, test } from "bun:test";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { monitorChain } from "./monitorChain";

const CHAIN_ID = 31337;
const LONG_MS = 3_600_000;

const protocol = await startProtocol({ now: 1_790_000_000 });
afterAll(protocol.stop);

test("a head that an answer has read serves the next answers, but not a lower one, or one that was asked for earlier; an announced one has its milliseconds", async () => {
  const clock = { now: 1_790_000_000_000 };
  const config = parseConfig({
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: protocol.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: protocol.contract,
    LOG_LEVEL: "fatal",
  });
  const [chain] = config.chains;
  if (chain === undefined) throw new Error("the settings have no chain");
  const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [protocol.url], requestTimeoutMs: 5_000 });
  const monitor = monitorChain({
    chain,
    client,
    logger: createLogger(config),
    intervalMs: LONG_MS,
    clock: () => clock.now,
    verify: async () => true,
  });
  try {
    await waitUntil("the chain is available", () => monitor.check().status === "ok");
    const first = monitor.head();
    clock.now += 3_000;
    expect(monitor.recentHead(2_000)).toBeNull();
    await protocol.client.mine({ blocks: 1 });
    const newest = await readHead(client);
    monitor.see(newest, clock.now);
    expect(monitor.recentHead(2_000)).toEqual(newest);
    expect(newest.number).toBeGreaterThan(first?.number ?? newest.number);
    if (first !== null) monitor.see(first, clock.now + 1);
    monitor.see({ ...newest, number: newest.number + 1n }, clock.now - 1);
    expect(monitor.head()).toEqual(newest);
    const { hash, number, timestamp, baseFeePerGas, gasLimit } = newest;
    const announced = {
      hash,
      number: String(number),
      timestamp: String(timestamp),
      baseFeePerGas: String(baseFeePerGas),
      gasLimit: String(gasLimit),
      timestampMs: 1_790_000_000_200,
    };
    monitor.hear({ chainId: CHAIN_ID, contract: protocol.contract, validForMs: LONG_MS, head: announced });
    expect(monitor.recentHead(0)).toEqual({ ...newest, timestampMs: 1_790_000_000_200 });
  } finally {
    await monitor.stop();
  }
});
