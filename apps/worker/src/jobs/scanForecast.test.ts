import { afterEach, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import type { ProtocolEvent } from "@dueday/core/events/protocolEvent";
import { readOutboxPage } from "@dueday/db/outbox/readOutbox";
import { readForecastProgress } from "@dueday/db/outbox/recordFailing";
import { logAt, storeBlocks } from "@dueday/db/test/smallIndex";
import { send } from "@dueday/devnet/send";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startMissedPayments } from "@dueday/worker/test/startMissedPayments";
import { getAddress } from "viem";
import type { ChainContext } from "../context";
import { createScanProgress } from "../createScanProgress";
import { startWorker } from "../startWorker";
import { chainJobs } from "./chainJobs";
import { scanForecast } from "./scanForecast";

const HOUR_MS = 3_600_000;
const CHAIN_ID = 31337;
/** Place of a subscriber with a weekly payment among the accounts of the scenario. */
const SUBSCRIBER = 4;
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function startChain() {
  const { database, devnet, proxy } = await startMissedPayments(cleanUps);
  const config = parseConfig({
    LOG_LEVEL: "silent",
    CHAINS: String(CHAIN_ID),
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: devnet.contract,
  });
  const [chain] = config.chains;
  const [token] = devnet.tokens;
  const from = (await devnet.client.request({ method: "eth_accounts" }))[SUBSCRIBER];
  if (chain === undefined || token === undefined || from === undefined) throw new Error("the scenario has all three");
  const account = getAddress(from);
  const scope = { chainId: CHAIN_ID, contract: devnet.contract };
  const withdrawAllowance = () => send(devnet.client, { from, to: token, data: encodeApprove(devnet.contract, 0n) });
  const progress = () => readForecastProgress(database, scope);
  async function announced(): Promise<unknown[]> {
    const { bodies } = await readOutboxPage(database, scope, { after: null, first: 1_000 });
    const events: { type: string; data: { subscriber?: string } }[] = (bodies ?? []).map((body) => JSON.parse(body));
    return events.flatMap(({ type, data }) => (type === "payment.will_fail" ? [data.subscriber] : []));
  }
  return { database, devnet, proxy, config, chain, account, scope, withdrawAllowance, progress, announced };
}

test("on a private chain, a subscriber whose allowance is withdrawn after the first forecast is announced", async () => {
  const { database, config, account, withdrawAllowance, progress, announced } = await startChain();
  const worker = startWorker(config, {
    database,
    logger: createLogger(config),
    clock: Date.now,
    headEveryMs: 50,
    onFatal: (error) => console.error(error),
  });
  cleanUps.push(() => worker.stop());
  await waitUntil("the first forecast", async () => (await progress()).forecastAt !== null);
  expect(await announced()).not.toContain(account);
  await withdrawAllowance();
  await waitUntil("the event", async () => (await announced()).includes(account));
});

test("a forecast is made once the index has a block, an hour after the last, and after a remit, which is checked every minute without a request", async () => {
  const { database, devnet, proxy, config, chain, scope, account, withdrawAllowance, announced } = await startChain();
  let nowMs = 0;
  const context: ChainContext = {
    chain,
    database,
    logger: createLogger(config),
    clock: () => nowMs,
    head: () => null,
    covered: () => null,
    client: createChainClient({ chainId: CHAIN_ID, rpcUrls: [proxy.url], requestTimeoutMs: 30_000 }),
    stateCache: createRemitStateCache(chain.contract),
    scans: { plan: null, due: null },
    progress: createScanProgress(Date.now, () => {}),
    onPlanAlarm: ({ kind }) => console.error(`the plan raises an alarm: ${kind}`),
    planCaller: config.planCaller,
    eventsRetentionDays: 30,
  };
  const run = async () => {
    proxy.calls.clear();
    await scanForecast(context, HOUR_MS);
    return proxy.calls.size > 0;
  };
  const head = async () => {
    const { number, hash, timestamp } = await readHead(context.client);
    return { number: Number(number), hash, timestamp: Number(timestamp) };
  };
  expect(await run()).toBe(false);
  const first = await head();
  await storeBlocks(database, scope, { after: null, blocks: [first], logs: [] });
  expect(await run()).toBe(true);

  await withdrawAllowance();
  nowMs += HOUR_MS - 1;
  expect(await run()).toBe(false);
  expect(await announced()).not.toContain(account);
  nowMs += 1;
  expect(await run()).toBe(true);
  expect(await announced()).toContain(account);
  expect(await run()).toBe(false);

  await devnet.client.mine({ blocks: 1 });
  const second = await head();
  const { timestamp } = second;
  const remit: ProtocolEvent = {
    event: "CallerLog",
    timestamp,
    checkedDay: 1,
    caller: devnet.contract,
    isFinished: true,
  };
  await storeBlocks(database, scope, { after: first, blocks: [second], logs: [logAt(second, 0, remit)] });
  expect(await run()).toBe(true);
  expect(await run()).toBe(false);

  for (const rpcProfile of ["fresh", "frugal"] as const) {
    const jobs = chainJobs({ ...context, chain: { ...chain, rpcProfile } }, config, { isPrivate: false });
    expect(jobs.find(({ name }) => name === "scan_forecast")?.everyMs).toBe(60_000);
  }
});
