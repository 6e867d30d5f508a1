import { afterAll, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readFingerprint } from "@dueday/chain/remit/state/readFingerprint";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import type { Snapshot } from "@dueday/db/queries/writeSnapshots";
import { send } from "@dueday/devnet/send";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startMissedPayments } from "@dueday/worker/test/startMissedPayments";
import type { Address } from "viem";
import { startWorker } from "../startWorker";

const CHAIN_ID = 31337;
/** Place of the first subscriber among the accounts of the scenario. */
const SUBSCRIBER = 4;
const cleanUps: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A worker that scans only where something shows that it must. */
async function startQuiet(profile: "fresh" | "frugal") {
  const { database, devnet, proxy } = await startMissedPayments(cleanUps);
  const config = parseConfig({
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: devnet.contract,
    [`CHAIN_${CHAIN_ID}_RPC_PROFILE`]: profile,
    LOG_LEVEL: "silent",
  });
  const worker = startWorker(config, {
    ...{ database, logger: createLogger(config), clock: Date.now },
    onFatal: (error) => console.error(error),
  });
  cleanUps.push(() => worker.stop());
  const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });

  async function readiness(): Promise<Snapshot | null> {
    const scope = { chainId: CHAIN_ID, contract: devnet.contract };
    const [snapshot] = await readSnapshots(database, { ...scope, kind: "readiness", keys: [""] });
    return snapshot ?? null;
  }
  await waitUntil("the first plan", async () => (await readiness()) !== null);
  const [token] = devnet.tokens;
  const account = (await devnet.client.request({ method: "eth_accounts" }))[SUBSCRIBER];
  if (token === undefined || account === undefined) throw new Error("the scenario has a token and subscribers");
  const approve = (amount: bigint) =>
    send(devnet.client, { from: account, to: token, data: encodeApprove(devnet.contract, amount) });
  /** Waits until two polls of the head in a row are all that the worker asks for. */
  const untilQuiet = () =>
    waitUntil("the worker to rest", async () => {
      proxy.calls.clear();
      await waitUntil("two polls", () => (proxy.calls.get("eth_getBlockByNumber") ?? 0) >= 2);
      return [...proxy.calls.keys()].every((name) => ["eth_chainId", "eth_getBlockByNumber"].includes(name));
    });
  return { devnet, proxy, client, readiness, token, account, approve, untilQuiet };
}

test("the fingerprint changes with an allowance, and with nothing else", async () => {
  const { devnet, client, token, account, approve } = await startQuiet("fresh");
  const holders = new Map([[token, new Set<Address>([account, devnet.contract])]]);
  const fingerprint = async () =>
    readFingerprint(client, { contract: devnet.contract, holders, block: await readHead(client) });
  const first = await fingerprint();
  expect(first).toMatch(/^0x[0-9a-f]{64}$/);
  await devnet.client.mine({ blocks: 1 });
  expect(await fingerprint()).toBe(first);
  await approve(0n);
  const second = await fingerprint();
  expect(second).not.toBe(first);
  await approve(7n);
  expect(await fingerprint()).not.toBe(second);
});

test("a change of an allowance alone reaches the plan within two blocks, and scans rest while nothing changes", async () => {
  const { devnet, proxy, readiness, approve, untilQuiet } = await startQuiet("fresh");
  // The scans of the start are over.
  await untilQuiet();
  await devnet.client.setIntervalMining({ interval: 1 });
  const confirmed = async (after: Snapshot | null) =>
    ((await readiness())?.blockNumber ?? 0n) > (after?.blockNumber ?? 0n);
  const first = await readiness();
  await waitUntil("the plan to be confirmed at a later block", () => confirmed(first));
  const before = await readiness();
  proxy.calls.clear();
  await waitUntil("another confirmation", () => confirmed(before));
  expect(proxy.calls.get("eth_simulateV1") ?? 0).toBe(0);
  expect((await readiness())?.hash).toBe(before?.hash ?? "");

  await devnet.client.setIntervalMining({ interval: 0 });
  await devnet.client.setAutomine(true);
  await untilQuiet();
  await approve(0n);
  // The approval's block and the next are all that there are.
  await devnet.client.mine({ blocks: 1 });
  await waitUntil("the plan to change", async () => (await readiness())?.hash !== before?.hash);
});

test("in the frugal profile a chain without events costs a request for the head now and then", async () => {
  const { proxy, devnet } = await startQuiet("frugal");
  await devnet.client.setIntervalMining({ interval: 1 });
  await waitUntil("the first requests to be over", async () => {
    proxy.calls.clear();
    await Bun.sleep(1_000);
    return proxy.calls.size === 0;
  });
});
