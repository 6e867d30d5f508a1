import { startApi } from "@dueday/api/startApi";
import { createEndpoints, type Endpoints } from "@dueday/chain/client/createEndpoints";
import type { RequestReport } from "@dueday/chain/client/createFailOver";
import { deployMulticall } from "@dueday/chain/test/deployMulticall";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { settleBacklog } from "./support/settleBacklog";

/**
 * What an idle chain costs at a provider: `bun bench/rpcCost.ts [seconds] [regular expression for rows] [--details]`. A block each 200 ms as on Base, without
 * events, saturated blooms, safe and finalized tags, Multicall3, and nothing due unless the row names it. Prints a table with totals in
 * the units of three providers (a month, for Infura a day) and the age of the oldest plan that was served ("plan s"), and with `--details` for
 * each row the calls by purpose and method. Rows are measured two at a time.
 *
 * An idle chain with a block each 200 ms, saturated blooms and nothing due, one worker and one API (`bun bench/rpcCost.ts`): one run of 75 to 130 s
 * each on a busy machine. Compute units are Alchemy's; a month is 30 days.
 *
 * | profile and endpoint                              | CU/s | million CU a month | requests/s | dRPC, million a month | Infura, million a day |
 * | ------------------------------------------------- | ---- | ------------------ | ---------- | --------------------- | --------------------- |
 * | `fresh`                                           | 55.6 | 144                | 1.5        | 78                    | 20                    |
 * | `fresh`, two workers and two APIs                 | 56.2 | 146                | 1.5        | 77                    | 20                    |
 * | `fresh`, ranges of 10 blocks                      | 71.3 | 185                | 1.5        | 91                    | 26                    |
 * | `fresh` with a WebSocket, pushed bytes included   | 12.6 | 33                 | 0.5        | 39                    | 134                   |
 * | `frugal`, ranges of 10, `LOGS_RPC_URLS` elsewhere | 4.3  | 11                 | 0.2        | 10                    | 1.3                   |
 * | `frugal`, ranges of 10, unproven blocks           | 3.4  | 9                  | 0.2        | 8                     | 1.1                   |
 *
 * No request was refused after the first minute. With ranges of 10, blocks are compared again when they are safe, two minutes later on Base: from
 * then on this comparison costs up to 30 CU/s. Infura charges a subscription to logs for each block, so a WebSocket is expensive there.
 */
/** Seconds for which a row is measured. Default: the interval of scans that no event requests. */
const SECONDS = Number(process.argv[2] ?? 300);
const WANTED = new RegExp(process.argv[3] ?? "");
const DETAILS = process.argv.includes("--details");
/** Time in which the worker learns the provider's caps and indexes the last settlement. */
const WARM_UP_MS = Number(process.env.RPC_COST_WARM_UP_MS ?? 60_000);
const MONTH_SECONDS = 30 * 86_400;
/** https://www.alchemy.com/docs/reference/compute-unit-costs, "Webhooks and Subscription APIs". */
const UNITS_A_PUSHED_BYTE = 0.04;
/** dRPC charges each method and each notification the same. */
const DRPC_UNITS = 20;
/** Infura's credits: for logs, for other methods, and for each block of a subscription to logs. */
const INFURA = { logs: 255, others: 80, block: 300 };

const CAP_OF_TEN: NodeProfile = { logsRange: { blocks: 10, refusal: "-32600" } };
const PUSHED = "logs (pushed)";

type Case = {
  name: string;
  settings?: Record<string, string>;
  node?: NodeProfile;
  blockTimeMs?: number;
  /** Whether the node is reached over a WebSocket too. */
  isPushed?: boolean;
  /** With `CHAIN_<id>_LOGS_RPC_URLS`, an endpoint without a cap, whose calls are counted in a separate row. */
  hasLogsUrl?: boolean;
  /** Number of workers, and of APIs. */
  processes?: number;
  /** Whether the demo's backlog stays open. */
  isDue?: boolean;
};

const FRUGAL = { [`CHAIN_${DEVNET_CHAIN_ID}_RPC_PROFILE`]: "frugal" };

const cases: Case[] = [
  { name: "fresh" },
  { name: "fresh, two workers, two APIs", processes: 2 },
  { name: "fresh, ranges of 10", node: CAP_OF_TEN },
  { name: "fresh, WebSocket", isPushed: true },
  { name: "frugal", settings: FRUGAL },
  { name: "frugal, ranges of 10, other logs", settings: FRUGAL, node: CAP_OF_TEN, hasLogsUrl: true },
  { name: "frugal, ranges of 10", settings: FRUGAL, node: CAP_OF_TEN },
  { name: "fresh, payments due", isDue: true },
  { name: "fresh, blocks of 2 s", blockTimeMs: 2_000 },
];

type Row = { calls: number; computeUnits: number; bytes: number };
type Measured = {
  name: string;
  rows: Map<string, Row>;
  requests: number;
  refused: number;
  blocks: number;
  oldestPlan: number;
};

async function measure(each: Case): Promise<Measured> {
  const { name, settings = {}, node = {}, blockTimeMs = 200, processes = 1 } = each;
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs });
  await deployMulticall(devnet);
  if (each.isDue !== true) await settleBacklog(devnet);
  const finality = { safeMs: 120_000, finalizedMs: 1_200_000 };
  const profile: NodeProfile = { saturatedBlooms: true, timestampMs: true, finality };
  const proxy = startNodeProxy(devnet.url, { ...profile, ...node });
  const logsProxy = startNodeProxy(devnet.url, profile);
  const server = await startBenchDatabase();
  const setting = (suffix: string) => `CHAIN_${DEVNET_CHAIN_ID}_${suffix}`;
  const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: proxy.url, contract: devnet.contract };
  const config = benchConfig(chain, {
    ...(each.isPushed === true && { [setting("WS_URL")]: proxy.wsUrl }),
    ...(each.hasLogsUrl === true && { [setting("LOGS_RPC_URLS")]: logsProxy.url }),
    LOG_LEVEL: "error",
    ...settings,
  });
  const rows = new Map<string, Row>();
  let isMeasuring = false;
  const note = ({ purpose, method, computeUnits, bytes }: RequestReport) => {
    if (isMeasuring) add(rows, `${purpose} ${method}`, { calls: 1, computeUnits, bytes });
  };
  const logger = createLogger(config);
  const running = await Promise.all(
    Array.from({ length: processes }, async () => {
      const endpoints = new Map([
        [DEVNET_CHAIN_ID, watched(createEndpoints({ chainId: DEVNET_CHAIN_ID, rpcUrls: [proxy.url] }), note)],
      ]);
      const database = connectDatabase({ url: server.url });
      const worker = startWorker(config, { database, logger, endpoints, clock: Date.now, onFatal: console.error });
      const api = await startApi(config, { logger, database, databaseUrl: server.url, endpoints });
      return {
        url: api.url,
        async stop() {
          await Promise.all([worker.stop(), api.stop()]);
          await database.close();
        },
      };
    }),
  );
  await Bun.sleep(WARM_UP_MS);
  const before = { pushed: proxy.pushed(), requests: proxy.exchanges.length, refused: proxy.refused() };
  const firstBlock = await devnet.client.getBlockNumber({ cacheTime: 0 });
  logsProxy.calls.clear();
  isMeasuring = true;
  const oldestPlan = await watchPlan(running[0]?.url ?? "", SECONDS);
  isMeasuring = false;
  const requests = proxy.exchanges.length - before.requests;
  const blocks = Number((await devnet.client.getBlockNumber({ cacheTime: 0 })) - firstBlock);
  const messages = proxy.pushed().messages - before.pushed.messages;
  const bytes = proxy.pushed().bytes - before.pushed.bytes;
  if (messages > 0) add(rows, PUSHED, { calls: messages, computeUnits: bytes * UNITS_A_PUSHED_BYTE, bytes });
  for (const [method, calls] of logsProxy.calls) add(rows, `elsewhere ${method}`, { calls, computeUnits: 0, bytes: 0 });
  const refused = proxy.refused() - before.refused;
  await Promise.all(running.map(({ stop }) => stop()));
  await server.stop();
  await Promise.all([proxy.stop(), logsProxy.stop()]);
  await devnet.stop();
  return { name, rows, requests, refused, blocks, oldestPlan };
}

/** The highest age in seconds of a served plan's block, polled for `seconds`. Polled reads cost no calls. */
async function watchPlan(url: string, seconds: number): Promise<number> {
  let oldest = 0;
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; await Bun.sleep(500)) {
    const response = await fetch(`${url}/remit/readiness`);
    const { asOf }: { asOf?: { blockTimestamp: number } } = Object(await response.json());
    if (asOf === undefined) throw new Error(`no plan is served: HTTP ${response.status}`);
    oldest = Math.max(oldest, Date.now() / 1_000 - asOf.blockTimestamp);
  }
  return oldest;
}

function add(rows: Map<string, Row>, key: string, { calls, computeUnits, bytes }: Row): void {
  const row = rows.get(key) ?? { calls: 0, computeUnits: 0, bytes: 0 };
  rows.set(key, {
    calls: row.calls + calls,
    computeUnits: row.computeUnits + computeUnits,
    bytes: row.bytes + bytes,
  });
}

/** Reports every call of all clients of these endpoints. */
function watched(endpoints: Endpoints, note: (report: RequestReport) => void): Endpoints {
  return {
    ...endpoints,
    send: (call, options) =>
      endpoints.send(call, {
        ...options,
        onRequest(report) {
          note(report);
          options.onRequest?.(report);
        },
      }),
  };
}

/** The cost of a second in the units of other providers. Requests of the chain id are not counted. */
function inUnitsOfOthers({ rows, blocks }: Measured): { drpc: number; infura: number } {
  let [drpc, infura] = [0, 0];
  for (const [key, { calls }] of rows) {
    if (key.startsWith("elsewhere") || key.endsWith("eth_chainId")) continue;
    drpc += calls * DRPC_UNITS;
    if (key === PUSHED) infura += blocks * INFURA.block;
    else infura += calls * (key.endsWith("eth_getLogs") ? INFURA.logs : INFURA.others);
  }
  return { drpc: drpc / SECONDS, infura: infura / SECONDS };
}

const HEADS = ["", "CU/s", "M CU/month", "requests/s", "refused", "dRPC M/month", "Infura M/day", "plan s"];

function line(measured: Measured): string[] {
  const units = [...measured.rows.values()].reduce((sum, { computeUnits }) => sum + computeUnits, 0) / SECONDS;
  const { drpc, infura } = inUnitsOfOthers(measured);
  return [
    measured.name,
    units.toFixed(1),
    ((units * MONTH_SECONDS) / 1e6).toFixed(1),
    (measured.requests / SECONDS).toFixed(2),
    String(measured.refused),
    ((drpc * MONTH_SECONDS) / 1e6).toFixed(1),
    ((infura * 86_400) / 1e6).toFixed(1),
    measured.oldestPlan.toFixed(0),
  ];
}

const wanted = cases.filter(({ name }) => WANTED.test(name));
const results: Measured[] = [];
for (let index = 0; index < wanted.length; index += 2) {
  results.push(...(await Promise.all(wanted.slice(index, index + 2).map(measure))));
}
const table = [HEADS, ...results.map(line)];
const widths = HEADS.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
for (const cells of table) {
  console.log(
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
for (const { name, rows } of DETAILS ? results : []) {
  console.log(`\n${name}`);
  for (const [key, row] of [...rows].toSorted(([, a], [, b]) => b.computeUnits - a.computeUnits)) {
    const figures = [row.calls, row.computeUnits, row.bytes].map((count) => (count / SECONDS).toFixed(2).padStart(9));
    console.log(`  ${key.padEnd(34)}${figures[0]} calls/s${figures[1]} CU/s${figures[2]} bytes/s`);
  }
}
process.exit(0);
