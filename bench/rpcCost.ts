import { startApi } from "@dueday/api/startApi";
import { createEndpoints, type Endpoints } from "@dueday/chain/client/createEndpoints";
import type { RequestReport } from "@dueday/chain/client/createFailOver";
import { deployMulticall } from "@dueday/chain/test/deployMulticall";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";

/**
 * What an idle chain costs at a provider: `bun bench/rpcCost.ts [seconds]`. Blocks of 2 s without events, saturated blooms, Multicall3, a
 * worker and an API in one process, as `bun run start` has them. Prints calls, compute units and bytes by purpose and method for
 * both profiles, over HTTP and over WebSocket, measured side by side.
 */
/** As long as from one scan that nothing requests to the next. */
const SECONDS = Number(process.argv[2] ?? 300);
const WARM_UP_MS = 30_000;
const BLOCK_SECONDS = 2;
const MONTH_SECONDS = 30 * 86_400;
/** https://www.alchemy.com/docs/reference/compute-unit-costs, "Webhooks and Subscription APIs". */
const UNITS_A_PUSHED_BYTE = 0.04;

const PUSHED = "head, logs (pushed)";

type Row = { calls: number; computeUnits: number; bytes: number };

async function measure(profile: "fresh" | "frugal", transport: "HTTP" | "WebSocket") {
  const devnet = await startDevnet({
    scenario: demo,
    now: Math.floor(Date.now() / 1000),
    blockTimeMs: BLOCK_SECONDS * 1_000,
  });
  await deployMulticall(devnet);
  const proxy = startNodeProxy(devnet.url, { saturatedBlooms: true });
  const server = await startBenchDatabase();
  const database = connectDatabase({ url: server.url });
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(DEVNET_CHAIN_ID),
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_URLS`]: proxy.url,
    [`CHAIN_${DEVNET_CHAIN_ID}_CONTRACT`]: devnet.contract,
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_PROFILE`]: profile,
    ...(transport === "WebSocket" ? { [`CHAIN_${DEVNET_CHAIN_ID}_WS_URL`]: proxy.wsUrl } : {}),
    LOG_LEVEL: "error",
    ...UNLIMITED,
  });
  const rows = new Map<string, Row>();
  let isMeasuring = false;
  const note = ({ purpose, method, computeUnits, bytes }: RequestReport) => {
    if (!isMeasuring) return;
    const row = rows.get(`${purpose} ${method}`) ?? { calls: 0, computeUnits: 0, bytes: 0 };
    row.calls++;
    row.computeUnits += computeUnits;
    row.bytes += bytes;
    rows.set(`${purpose} ${method}`, row);
  };
  const endpoints = new Map([
    [DEVNET_CHAIN_ID, watched(createEndpoints({ chainId: DEVNET_CHAIN_ID, rpcUrls: [proxy.url] }), note)],
  ]);
  const logger = createLogger(config);
  const worker = startWorker(config, { database, logger, endpoints, clock: Date.now, onFatal: console.error });
  const api = await startApi(config, { logger, database, databaseUrl: server.url, endpoints });
  await Bun.sleep(WARM_UP_MS);
  const pushedBefore = proxy.pushed();
  isMeasuring = true;
  await Bun.sleep(SECONDS * 1_000);
  isMeasuring = false;
  const pushed = proxy.pushed();
  const [messages, bytes] = [pushed.messages - pushedBefore.messages, pushed.bytes - pushedBefore.bytes];
  if (messages > 0) rows.set(PUSHED, { calls: messages, computeUnits: bytes * UNITS_A_PUSHED_BYTE, bytes });
  await Promise.all([worker.stop(), api.stop()]);
  await database.close();
  await server.stop();
  await proxy.stop();
  await devnet.stop();
  return { name: `${profile}, ${transport}`, rows };
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

const results = await Promise.all(
  (["fresh", "frugal"] as const).flatMap((profile) =>
    (["HTTP", "WebSocket"] as const).map((transport) => measure(profile, transport)),
  ),
);
for (const { name, rows } of results) {
  const sorted = [...rows].toSorted(([, a], [, b]) => b.computeUnits - a.computeUnits);
  const total = sorted.reduce((sum, [, { computeUnits }]) => sum + computeUnits, 0) / SECONDS;
  const calls = sorted.reduce((sum, [, row]) => sum + row.calls, 0) / SECONDS;
  const month = (total * MONTH_SECONDS) / 1e6;
  const pushed = (rows.get(PUSHED)?.computeUnits ?? 0) / SECONDS;
  const asked =
    pushed > 0 ? ` (${(total - pushed).toFixed(1)} for calls, ${pushed.toFixed(1)} for what is pushed)` : "";
  console.log(
    `${name}: ${total.toFixed(1)} CU/s${asked}, ${calls.toFixed(2)} calls/s, ${month.toFixed(1)} million CU a month`,
  );
  for (const [key, row] of sorted) {
    const figures = [row.calls, row.computeUnits, row.bytes].map((count) => (count / SECONDS).toFixed(2).padStart(9));
    console.log(`  ${key.padEnd(34)}${figures[0]} calls/s${figures[1]} CU/s${figures[2]} bytes/s`);
  }
}
process.exit(0);
