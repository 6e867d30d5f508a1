import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { numberToHex } from "viem";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { quantile } from "./support/quantile";

/**
 * For how many callers a second an API without a worker prepares the next remit(): `bun bench/liveRemit.ts [seconds]`. 400 callers in turn,
 * 32 at a time, on the demo's backlog and blocks of 200 ms. The exit code is 1 below the bar.
 */
const CALLERS = 400;
/** Callers that wait for an answer at a time. */
const AT_ONCE = 32;
const BLOCK_MS = 200;
const SECONDS = Number(process.argv[2] ?? 15);
const REQUIRED = 120;

const postgres = await startBenchDatabase();
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: BLOCK_MS });
const database = connectDatabase({ url: postgres.url });
const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: devnet.url, contract: devnet.contract };
const config = benchConfig(chain, { LOG_LEVEL: "error" });
const api = await startApi(config, { logger: createLogger(config), database, databaseUrl: postgres.url });
try {
  await ask(0);
  const durations: number[] = [];
  let next = 0;
  const started = performance.now();
  const end = started + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() < end) {
        const asked = performance.now();
        await ask(next++ % CALLERS);
        durations.push(performance.now() - asked);
      }
    }),
  );
  const rate = (durations.length * 1000) / (performance.now() - started);
  console.log(
    `liveRemit: ${CALLERS} callers, blocks of ${BLOCK_MS} ms: ${rate.toFixed(0)} answers a second (required: ${REQUIRED}), ` +
      `median ${quantile(durations, 0.5).toFixed(0)} ms, p99 ${quantile(durations, 0.99).toFixed(0)} ms`,
  );
  process.exitCode = rate >= REQUIRED ? 0 : 1;
} finally {
  await api.stop();
  await database.close();
  await devnet.stop();
  await postgres.stop();
}

/** Prepares the next transaction of one caller: an account without tokens or ether, like that of a new keeper. */
async function ask(index: number): Promise<void> {
  const from = numberToHex(0xca11e5_0000n + BigInt(index), { size: 20 });
  const response = await fetch(`${api.url}/prepare/remit`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ from }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}: ${answer.slice(0, 300)}`);
}
