import { afterAll, expect, test } from "bun:test";
import { createPageStore } from "@dueday/api/snapshots/createPageStore";
import { feedSnapshots } from "@dueday/api/snapshots/feedSnapshots";
import { createSnapshotCache } from "@dueday/api/snapshots/snapshotCache";
import { parseHeader } from "@dueday/chain/block/parseHeader";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { RpcProfile } from "@dueday/config/chains";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { deployPeculiarToken } from "@dueday/devnet/deployToken";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { randomFrom } from "@dueday/test-support/randomFrom";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startWorker } from "@dueday/worker/startWorker";
import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, pad } from "viem";

const CHAIN_ID = 31337;
const random = randomFrom(testSeed);
/** Changes of each case. */
const CHANGES = testDepth > 1 ? 5 * testDepth : 1;
const cleanUps: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}, 60_000);

/** A backlog of five payments on a chain with blocks of this interval, a worker, and the snapshots as an API process serves them. */
async function startBacklog(profile: RpcProfile, blockMs: number) {
  const { database, url } = await createTestDatabase();
  const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
  cleanUps.push(() => devnet.stop());
  const { contract, tokens } = devnet;
  const [token] = tokens;
  if (token === undefined) throw new Error("the scenario has a token");
  const codes = await makeUpgradable(devnet, token);
  const config = parseConfig({
    LOG_LEVEL: "silent",
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: devnet.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: contract,
    [`CHAIN_${CHAIN_ID}_RPC_PROFILE`]: profile,
  });
  const logger = createLogger(config);
  let isOver = false;
  const mine = async () => {
    for (; !isOver; await Bun.sleep(blockMs)) await devnet.client.mine({ blocks: 1 });
  };
  const mining = mine();
  cleanUps.push(() => {
    isOver = true;
    return mining;
  });
  const worker = startWorker(config, {
    database,
    databaseUrl: url,
    logger,
    clock: Date.now,
    onFatal: (error) => console.error(error),
  });
  cleanUps.push(() => worker.stop());
  const cache = createSnapshotCache({
    chainId: CHAIN_ID,
    staleAfterMs: config.staleAfterMs,
    clock: Date.now,
    pages: createPageStore(async () => new Map()),
  });
  const feed = feedSnapshots({
    database,
    databaseUrl: url,
    logger,
    rereadMs: 60_000,
    chains: [{ chainId: CHAIN_ID, contract, cache }],
  });
  cleanUps.push(() => feed.close());
  const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 10_000 });

  /** The plan at a block, by a direct simulation. */
  async function planAt(number: bigint): Promise<string> {
    const block = parseHeader(await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]));
    const stateCache = createRemitStateCache(contract);
    const from = config.planCaller;
    return essenceOf(
      await readRemitReadiness(client, { contract, from, block, stateCache, model: "where_needed", onAlarm() {} }),
    );
  }
  await waitUntil("the first plan", () => cache.get("readiness") !== null);
  return { devnet, contract, token, codes, cache, client, planAt };
}

/**
 * Puts a proxy in the place of a token, which a transaction gives other code: a call of one word sets the address that all other calls are
 * delegated to. Returns the addresses of the token's code, and of one that refuses transfers.
 */
async function makeUpgradable({ client }: Devnet, token: Address): Promise<{ usual: Address; off: Address }> {
  const [admin] = await client.request({ method: "eth_accounts" });
  if (admin === undefined) throw new Error("the node has accounts");
  const off = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "RevertingToken" });
  const usual: Address = "0x00000000000000000000000000000000000c0de1";
  await client.setCode({ address: usual, bytecode: (await client.getCode({ address: token })) ?? "0x" });
  await client.setCode({ address: token, bytecode: PROXY });
  await send(client, { from: admin, to: token, data: pad(usual) });
  return { usual, off };
}

const PROXY: Hex = concatHex([
  "0x36602014602c57", // CALLDATASIZE == 0x20: JUMPI set
  "0x366000600037", // CALLDATACOPY all to 0x00
  "0x60006000366000600019545af4", // DELEGATECALL to the address at the last slot
  "0x3d600060003e602757", // RETURNDATACOPY all to 0x00; JUMPI returned
  "0x3d6000fd", // REVERT
  "0x5b3d6000f3", // returned: RETURN
  "0x5b60003560001955", // set: SSTORE the word at the last slot
  "0x00", // STOP
]);

/** What a plan does, without gas and prices. */
function essenceOf({ reason, totals, plan, blockedBy }: RemitReadiness): string {
  const { transactions, payments, failures } = totals;
  const fees = plan.transactions.map(({ callerFees }) => callerFees.map(({ amountRaw }) => amountRaw));
  return JSON.stringify([reason, plan.end, transactions, payments, failures, fees, blockedBy?.revert.message]);
}

type Backlog = Awaited<ReturnType<typeof startBacklog>>;

/** Changes that alter what remit() does without an event, a balance or an allowance. Each call takes one back or makes another. */
async function createChanges({ devnet, token, contract, codes }: Backlog) {
  const accounts = await devnet.client.request({ method: "eth_accounts" });
  const [admin, , , , ...subscribers] = accounts;
  if (admin === undefined) throw new Error("the node has accounts");
  const barring = (account: Address, bars: boolean) =>
    send(devnet.client, {
      from: admin,
      to: token,
      data: encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [account, bars] }),
    });
  const pausing = (pauses: boolean) =>
    send(devnet.client, {
      from: admin,
      to: contract,
      data: encodeFunctionData({ abi: adminAbi, functionName: "pauseToken", args: [token, pauses] }),
    });
  const coding = (code: Address) => send(devnet.client, { from: admin, to: token, data: pad(code) });
  let undo: (() => Promise<unknown>) | null = null;
  return async (): Promise<void> => {
    if (undo !== null) {
      await undo();
      undo = null;
      return;
    }
    const kind = Math.floor(random() * 4);
    const account = subscribers[Math.floor(random() * 3)] ?? admin;
    const target = kind === 0 ? contract : account;
    if (kind <= 1) {
      await barring(target, true);
      undo = () => barring(target, false);
    } else if (kind === 2) {
      await pausing(true);
      undo = () => pausing(false);
    } else {
      await coding(codes.off);
      undo = () => coding(codes.usual);
    }
  };
}

const cases = [
  { profile: "fresh", blockMs: 200, withinMs: 20_000 },
  { profile: "fresh", blockMs: 2_000, withinMs: 20_000 },
  { profile: "frugal", blockMs: 2_000, withinMs: 70_000 },
] as const;

// Each takes as long as its cadence: the others are in `test:deep`.
test.each(testDepth > 1 ? cases : cases.slice(0, 1))(
  "a token that bars, pauses or changes its code in a backlog: no asOf is a block with another plan, and the new plan is served within $withinMs ms ($profile, blocks of $blockMs ms)",
  async ({ profile, blockMs, withinMs }) => {
    const backlog = await startBacklog(profile, blockMs);
    const { cache, client, planAt } = backlog;
    const change = await createChanges(backlog);
    const served = new Map<string, string>();
    /** Each is read at once: a chain of 200 ms does not keep its states for long. */
    const simulated: Promise<[string, string]>[] = [];
    const observe = () => {
      const held = cache.get("readiness");
      if (held === null || held.orphaned || served.has(held.stamp.blockNumber)) return;
      const { blockNumber } = held.stamp;
      served.set(blockNumber, essenceOf(held.payload));
      simulated.push(planAt(BigInt(blockNumber)).then((plan) => [blockNumber, plan]));
    };
    const observer = setInterval(observe, 50);
    const delays: number[] = [];
    for (let count = 0; count < (profile === "frugal" ? Math.ceil(CHANGES / 5) : CHANGES); count++) {
      // The change may come at any moment of the cadence.
      await Bun.sleep(random() * (testDepth > 1 ? 15_000 : 2_000));
      await change();
      const changedAt = performance.now();
      const { number } = await readHead(client);
      const expected = await planAt(number);
      await waitUntil("the new plan to be served", () => {
        const held = cache.get("readiness");
        return held !== null && BigInt(held.stamp.blockNumber) >= number && essenceOf(held.payload) === expected;
      });
      delays.push(performance.now() - changedAt);
    }
    clearInterval(observer);
    expect(Object.fromEntries(await Promise.all(simulated))).toEqual(Object.fromEntries(served));
    console.log(
      `${profile}, ${blockMs} ms: ${served.size} blocks of asOf, slowest ${Math.round(Math.max(...delays))} ms`,
    );
    expect(Math.max(...delays)).toBeLessThan(withinMs);
  },
  CHANGES * 120_000,
);
