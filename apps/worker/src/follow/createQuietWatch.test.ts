import { afterEach, expect, test } from "bun:test";
import { parseHeader } from "@dueday/chain/block/parseHeader";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readFingerprint } from "@dueday/chain/remit/state/readFingerprint";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import type { ConfirmationMessage } from "@dueday/db/confirmationMessage";
import { listenSnapshots } from "@dueday/db/listenSnapshots";
import { requestProof } from "@dueday/db/proofRequest";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import type { Snapshot } from "@dueday/db/snapshots/writeSnapshots";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { send, TransactionReverted } from "@dueday/devnet/send";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startMissedPayments } from "@dueday/worker/test/startMissedPayments";
import { type Address, encodeFunctionData } from "viem";
import { startWorker } from "../startWorker";
import { createQuietWatch } from "./createQuietWatch";

const CHAIN_ID = 31337;
/** Place of the first subscriber among the accounts of the scenario. */
const SUBSCRIBER = 4;
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A worker that scans only where something shows that it must. */
async function startQuiet(profile: "fresh" | "frugal") {
  const { database, url, devnet, proxy } = await startMissedPayments(cleanUps);
  const config = parseConfig({
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: devnet.contract,
    [`CHAIN_${CHAIN_ID}_RPC_PROFILE`]: profile,
    LOG_LEVEL: "silent",
  });
  const worker = startWorker(config, {
    database,
    databaseUrl: url,
    logger: createLogger(config),
    clock: Date.now,
    onFatal: (error) => console.error(error),
  });
  cleanUps.push(() => worker.stop());
  const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
  const scope = { chainId: CHAIN_ID, contract: devnet.contract };
  const confirmations: ConfirmationMessage[] = [];
  const listener = listenSnapshots({
    url,
    onChange() {},
    onConnect() {},
    onDisconnect() {},
    onConfirmation: (message) => void confirmations.push(message),
  });
  cleanUps.push(() => listener.close());

  async function snapshot(kind: SnapshotKind): Promise<Snapshot | null> {
    const [found] = await readSnapshots(database, { ...scope, kind, keys: [""] });
    return found ?? null;
  }
  const readiness = () => snapshot("readiness");
  /** Calls remit() until nothing is due. */
  async function settle(): Promise<void> {
    const from = devnet.keeper.address;
    const call = { from, to: devnet.contract, data: encodeRemit() };
    for (;;) {
      const isRefused = await send(devnet.client, call).then(
        () => false,
        (error: unknown) => {
          if (error instanceof TransactionReverted) return true;
          throw error;
        },
      );
      if (isRefused) return;
    }
  }
  /** As an API process does. Returns the head, which the proof has to reach; blocks are mined until the worker has polled it. */
  async function askForProof(rescan = false): Promise<bigint> {
    const { number } = await readHead(client);
    await requestProof(database, { ...scope, atLeastBlock: number.toString(), rescan });
    return number;
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
  return {
    config,
    database,
    devnet,
    proxy,
    client,
    token,
    account,
    confirmations,
    snapshot,
    readiness,
    approve,
    settle,
    askForProof,
    untilQuiet,
  };
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

test("while something is due, a change of an allowance alone reaches the plan within two blocks", async () => {
  const { devnet, readiness, approve, untilQuiet } = await startQuiet("fresh");
  const before = await readiness();
  await untilQuiet();
  await approve(0n);
  await waitUntil("the plan to change", async () => {
    await devnet.client.mine({ blocks: 1 });
    return (await readiness())?.hash !== before?.hash;
  });
});

test("while something is due, a plan is confirmed by a simulation only, and computedAt stays", async () => {
  const { devnet, proxy, confirmations, readiness, askForProof, untilQuiet } = await startQuiet("fresh");
  // The base fee falls with empty blocks, and costs with it, until it is at its lowest.
  await devnet.client.mine({ blocks: 200 });
  const head = await askForProof(true);
  await waitUntil("the plan at that base fee", async () => ((await readiness())?.blockNumber ?? 0n) >= head);
  await untilQuiet();
  const before = await readiness();
  await devnet.client.mine({ blocks: 1 });
  // Without a simulation since it was asked for there is none.
  proxy.calls.clear();
  const proven = await askForProof();
  await waitUntil("a confirmation of the plan", () =>
    planOf(confirmations).some(({ block }) => BigInt(block.number) >= proven),
  );
  expect(proxy.calls.get("eth_simulateV1") ?? 0).toBeGreaterThanOrEqual(1);
  const after = await readiness();
  expect(after?.hash).toBe(before?.hash ?? "");
  expect(after?.computedAt).toEqual(before?.computedAt ?? new Date(0));
});

test("while nothing is due, everything is confirmed by comparing settings, balances and allowances, without a simulation", async () => {
  const { devnet, proxy, database, confirmations, readiness, settle, askForProof, untilQuiet } =
    await startQuiet("fresh");
  await settle();
  await waitUntil(
    "the plan of a settled chain",
    async () => (await readiness())?.payload.includes('"caught_up"') ?? false,
  );
  await untilQuiet();
  const kinds = (head: bigint) => {
    const proven = confirmations.filter(({ block }) => BigInt(block.number) >= head);
    return new Set(proven.flatMap(({ snapshots }) => snapshots.map(([kind]) => kind.split(".")[0])));
  };
  // A scan that was still queued may simulate beside the first of them.
  await waitUntil("a confirmation of everything without a simulation", async () => {
    confirmations.length = 0;
    proxy.calls.clear();
    await devnet.client.mine({ blocks: 1 });
    const head = await askForProof();
    await waitUntil("all kinds to be confirmed", () => kinds(head).size === 4);
    return !proxy.calls.has("eth_simulateV1");
  });
  const [{ rows } = { rows: 0 }] = await database.sql<{ rows: number }[]>`
    select count(*)::int as rows from snapshot_confirmations`;
  // Less than a minute has passed.
  expect(rows).toBe(0);
});

test("while nothing is due, a setting that an admin changed without an event leads to new snapshots", async () => {
  const { devnet, token, readiness, settle, askForProof, snapshot } = await startQuiet("fresh");
  await settle();
  await waitUntil(
    "the plan of a settled chain",
    async () => (await readiness())?.payload.includes('"caught_up"') ?? false,
  );
  const [admin] = await devnet.client.request({ method: "eth_accounts" });
  if (admin === undefined) throw new Error("the node has accounts");
  await send(devnet.client, {
    from: admin,
    to: devnet.contract,
    data: encodeFunctionData({ abi: adminAbi, functionName: "pauseToken", args: [token, true] }),
  });
  await askForProof();
  await waitUntil(
    "the token to be shown as paused",
    async () => (await snapshot("tokens"))?.payload.includes('"paused":true') ?? false,
  );
});

test("a pause of due tokens that is undone while the plan says nothing_due: it is not confirmed from then on, and is computed again", async () => {
  const { devnet, client, confirmations, readiness, askForProof } = await startQuiet("fresh");
  const [from] = await devnet.client.request({ method: "eth_accounts" });
  if (from === undefined) throw new Error("the node has accounts");
  const setPaused = async (isPaused: boolean) => {
    for (const token of devnet.tokens) {
      const data = encodeFunctionData({ abi: adminAbi, functionName: "pauseToken", args: [token, isPaused] });
      await send(devnet.client, { from, to: devnet.contract, data });
    }
  };
  const isNothingDue = async () => (await readiness())?.payload.includes('"nothing_due"') ?? false;
  await setPaused(true);
  await askForProof(true);
  await waitUntil("the plan of paused tokens", isNothingDue);
  const { hash } = (await readiness()) ?? { hash: "" };
  await setPaused(false);
  const { number: undoneAt } = await readHead(client);
  await askForProof();
  await waitUntil("the plan of due tokens", async () => !(await isNothingDue()));
  const wrong = planOf(confirmations).filter(
    ({ block, snapshots }) => BigInt(block.number) >= undoneAt && snapshots.some(([, , name]) => hash.startsWith(name)),
  );
  expect(wrong).toEqual([]);
});

test("a request that contradicts the served plan causes a scan at once", async () => {
  const { devnet, token, account, readiness, askForProof } = await startQuiet("frugal");
  const before = await readiness();
  await send(devnet.client, {
    from: account,
    to: token,
    data: encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [account, true] }),
  });
  await askForProof(true);
  await waitUntil("the plan to be blocked", async () => {
    const now = await readiness();
    return now?.hash !== before?.hash && now?.payload.includes('"blocked"') === true;
  });
});

/** A watch that has no scans yet, beside the worker's own. */
async function startWatch(requestScans: () => Promise<void>) {
  const { database, devnet, client, config } = await startQuiet("frugal");
  const [chain] = config.chains;
  if (chain === undefined) throw new Error("the settings name a chain");
  const context = {
    chain,
    client,
    database,
    clock: Date.now,
    logger: createLogger(config),
    scans: { plan: null, due: null },
  };
  const watch = createQuietWatch({ context, requestScans });
  cleanUps.push(() => watch.stop());
  const head = parseHeader(await client.rpc("eth_getBlockByNumber", ["latest", false]));
  return { devnet, watch, head };
}

test("scans that could not be requested are requested again after seconds, not with the next proof", async () => {
  let requests = 0;
  const { watch, head } = await startWatch(async () => {
    requests++;
    throw new Error("the queue can't be reached");
  });
  await waitUntil(
    "another request",
    async () => {
      await watch.note({ after: head, head, logs: [], lateLogs: [] });
      return requests >= 2;
    },
    15_000,
  );
});

test("a proof that is asked for right after another does not wait for the next block", async () => {
  let scans = 0;
  const { devnet, watch, head } = await startWatch(async () => void scans++);
  await watch.note({ after: null, head, logs: null, lateLogs: [] });
  scans = 0;
  const request = {
    chainId: CHAIN_ID,
    contract: devnet.contract,
    atLeastBlock: head.number.toString(),
    rescan: true,
  };
  await watch.request(request);
  await watch.request(request);
  expect(scans).toBe(1);
  await waitUntil("the second", () => scans === 2, 10_000);
});

test("in the frugal profile a chain without events costs a request for the head now and then", async () => {
  const { proxy, devnet, client } = await startQuiet("frugal");
  await devnet.client.setIntervalMining({ interval: 1 });
  await waitUntil("the first requests to be over", async () => {
    proxy.calls.clear();
    const { number } = await readHead(client);
    await waitUntil("another block", async () => (await readHead(client)).number > number);
    return proxy.calls.size === 0;
  });
});

/** The confirmations that name the plan. */
function planOf(confirmations: readonly ConfirmationMessage[]): ConfirmationMessage[] {
  return confirmations.filter(({ snapshots }) => snapshots.some(([kind]) => kind.startsWith("readiness")));
}
