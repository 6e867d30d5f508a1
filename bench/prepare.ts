import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { parseEther } from "viem";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { median } from "./support/quantile";
import { timeRounds } from "./support/timeRounds";

/**
 * How many round trips to the node an answer takes, one after another: `bun bench/prepare.ts`. The devnet is behind a proxy that delays each
 * answer by 50 ms, so the duration of a request is a multiple of 50 ms. The exit code is 1 where one takes more round trips than its limit. The API
 * runs without a worker, so every two seconds an answer takes one more round trip: the API asks for the head.
 */

const DELAY_MS = 50;
const ROUNDS = 21;
/** An account that the demo does not use, so it can subscribe. */
const SUBSCRIBER = testAccount(1_000).address;

type Measured = { name: string; limit: number; request: () => Promise<Response> };

const postgres = await startBenchDatabase();
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
const node = startNodeProxy(devnet.url, { latencyMs: DELAY_MS });
const database = connectDatabase({ url: postgres.url });
const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: node.url, contract: devnet.contract };
const config = benchConfig(chain, { LOG_LEVEL: "warn" });
const api = await startApi(config, { logger: createLogger(config), database, databaseUrl: postgres.url });
try {
  const [token] = devnet.tokens;
  const id = devnet.subscriptions["daily-letter"];
  if (token === undefined || id === undefined) throw new Error("the demo has no daily-letter");
  const admin = testAccount(ACCOUNT_INDEX.admin).address;
  const provider = testAccount(ACCOUNT_INDEX.firstProvider).address;
  const subscriber = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
  const target = { client: devnet.client, contract: devnet.contract, admin };
  for (const each of devnet.tokens) await fund(target, each, SUBSCRIBER, parseEther("1000"), 0n);
  console.log(`prepare: a node ${DELAY_MS} ms away, median of ${ROUNDS} requests one after another`);
  const measured: Measured[] = [
    { name: "POST /prepare/subscribe_by_id", limit: 3, request: () => prepare(id) },
    read(1, "/subscriptions/:id", `/subscriptions/${id}`),
    read(1, "/subscriptions/:id/fee-balance", `/subscriptions/${id}/fee-balance?address=${SUBSCRIBER}`),
    read(1, "/approved-tokens/:token", `/approved-tokens/${token}`),
    read(1, "/accounts/:address/subscriptions", `/accounts/${provider}/subscriptions`),
    read(2, "/accounts/:address", `/accounts/${subscriber}`),
    read(2, "/subscriptions/:id/subscribers", `/subscriptions/${id}/subscribers`),
  ];
  let missed = 0;
  for (const each of measured) if (!(await measure(each))) missed++;
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  await api.stop();
  await database.close();
  await node.stop();
  await devnet.stop();
  await postgres.stop();
}

function read(limit: number, route: string, path: string): Measured {
  return { name: `GET ${route}`, limit, request: () => fetch(api.url + path) };
}

function prepare(id: string): Promise<Response> {
  return fetch(`${api.url}/prepare/subscribe_by_id`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ from: SUBSCRIBER, id }),
  });
}

/** Prints the median, and returns whether it is within the limit. */
async function measure({ name, limit, request }: Measured): Promise<boolean> {
  await (await request()).arrayBuffer();
  const times = await timeRounds(ROUNDS, async () => {
    const response = await request();
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${name} answered ${response.status}`);
  });
  const milliseconds = median(times);
  const trips = Math.floor(milliseconds / DELAY_MS);
  console.log(
    `  ${name.padEnd(36)} ${milliseconds.toFixed(0).padStart(4)} ms   ${trips} round trip(s) (required: at most ${limit})`,
  );
  return trips <= limit;
}
