import { join } from "node:path";
import type { Demand, Limiter } from "@dueday/api/limits/limiter";
import { memoryLimiter } from "@dueday/api/limits/memoryLimiter";
import { redisConnection } from "@dueday/api/limits/redisConnection";
import { redisLimiter } from "@dueday/api/limits/redisLimiter";
import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { startRedis } from "@dueday/test-support/startRedis";
import { startBenchDatabase } from "./support/benchDatabase";
import { BENCH_CHAIN_ID, BENCH_CONTRACT, writeDueSnapshot } from "./support/dueSnapshot";
import {
  load,
  type Measured,
  median,
  printRounds,
  type Server,
  serveBare,
  startServer,
  stopServers,
} from "./support/wrk";

/**
 * Requests a second of a cached read with everything that a real request involves: lane, limits, headers and request log, for many
 * clients behind a trusted proxy; as a ratio to a bare `Bun.serve` that sends the same bytes in the same run, once with the
 * limits in memory and once on Redis. Then the cost of the limiter alone.
 */

const PATH = "/subscriptions/due";
/** Long, so that a pause of the machine does not switch the limits on Redis to memory. */
const REDIS_DEADLINE_MS = 10_000;
/** Short rounds: other work of the machine affects all three servers alike. */
const ROUNDS = 15;
const SECONDS = 1;
/** Code that runs once for a dozen requests is compiled only after some seconds. */
const WARM_UP_SECONDS = 6;
const CLIENTS = 5_000;

/** Runs the comparison and prints it. Returns false when wrk is not installed. */
export async function benchLimitedRead(): Promise<boolean> {
  if (Bun.which("wrk") === null) {
    console.log("limited read: skipped, wrk is not installed (apt-get install wrk)");
    return false;
  }
  const postgres = await startBenchDatabase();
  const { folder } = postgres;
  const redis = await startRedis();
  try {
    await writeDueSnapshot(postgres.url);
    const memory = await startServer(import.meta.path, ["memory", postgres.url], folder);
    const shared = await startServer(import.meta.path, ["redis", `${postgres.url} unix://${redis.path}`], folder);
    const body = await (await fetch(memory.url + PATH)).text();
    await Bun.write(join(folder, "body.json"), body);
    const bare = await startServer(import.meta.path, ["bare", join(folder, "body.json")], folder);
    const lua = join(folder, "clients.lua");
    await Bun.write(lua, MANY_CLIENTS);
    await compare({ bare, memory, redis: shared }, lua);
    await stopServers([bare, memory, shared]);
    await measureLimiters(redis.path);
  } finally {
    await redis.stop();
    await postgres.stop();
  }
  return true;
}

const REQUIRED = { memory: 0.48, redis: 0.38 };

async function compare(servers: Record<"bare" | "memory" | "redis", Server>, lua: string): Promise<void> {
  const names = ["bare", "memory", "redis"] as const;
  const rounds: Record<(typeof names)[number], Measured[]> = { bare: [], memory: [], redis: [] };
  for (const name of names) await load(servers[name], PATH, WARM_UP_SECONDS, lua);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) rounds[name].push(await load(servers[name], PATH, SECONDS, lua));
  }
  console.log(
    `limited read: GET ${PATH}, ${CLIENTS} clients, wrk -t1 -c64, median of ${ROUNDS} rounds of ${SECONDS} s`,
  );
  for (const name of names) printRounds(name, rounds[name]);
  for (const name of ["memory", "redis"] as const) {
    const ratios = rounds[name].map(
      ({ requestsPerSecond }, round) => requestsPerSecond / (rounds.bare[round]?.requestsPerSecond ?? Number.NaN),
    );
    console.log(
      `  ratio with limits in ${name} ${median(ratios).toFixed(2)} (required: at least ${REQUIRED[name].toFixed(2)})`,
    );
  }
}

/** A wrk script. It creates the requests beforehand, so that this is not measured. */
const MANY_CLIENTS = `
local requests, at = {}, 0
init = function()
  for i = 1, ${CLIENTS} do
    local client = "10." .. math.floor(i / 65536) .. "." .. math.floor(i / 256) % 256 .. "." .. i % 256
    requests[i] = wrk.format("GET", nil, { ["X-Forwarded-For"] = client, ["Host"] = "localhost" })
  end
end
request = function()
  at = at % ${CLIENTS} + 1
  return requests[at]
end
`;

async function serveApi(databaseUrl: string, redisUrl = ""): Promise<string> {
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(BENCH_CHAIN_ID),
    // Nothing listens there: a cached read sends no request to a node.
    [`CHAIN_${BENCH_CHAIN_ID}_RPC_URLS`]: "http://127.0.0.1:9",
    [`CHAIN_${BENCH_CHAIN_ID}_CONTRACT`]: BENCH_CONTRACT,
    REDIS_URL: redisUrl,
    TRUSTED_PROXIES: "127.0.0.1/32",
    // High enough to admit every request of a client, low enough to be enforced.
    LIMIT_FREE_GLOBAL_RPM: "10000",
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: "1000000",
  });
  const database = connectDatabase({ url: databaseUrl });
  const logger = createLogger(config);
  const { url } = await startApi(config, { logger, database, databaseUrl, redisDeadlineMs: REDIS_DEADLINE_MS });
  return url;
}

const TAKES = 100_000;
const AT_ONCE = 64;

async function measureLimiters(redisPath: string): Promise<void> {
  const redis = redisConnection(redisPath);
  await redis.renew();
  const limiters = {
    memory: memoryLimiter({ clock: Date.now }),
    redis: redisLimiter({ send: redis.send, prefix: "bench:", deadlineMs: REDIS_DEADLINE_MS }),
  };
  for (const [name, limiter] of Object.entries(limiters)) {
    await take(limiter, TAKES / 10);
    const before = process.cpuUsage();
    const startedAt = performance.now();
    await take(limiter, TAKES);
    const elapsed = ((performance.now() - startedAt) * 1000) / TAKES;
    const { user, system } = process.cpuUsage(before);
    console.log(
      `  limiter in ${name.padEnd(6)} ${elapsed.toFixed(1)} us a request with ${AT_ONCE} at once, ` +
        `${((user + system) / TAKES).toFixed(1)} us of it on this process's CPU`,
    );
  }
  redis.close();
}

async function take(limiter: Limiter, total: number): Promise<void> {
  const demands = Array.from({ length: CLIENTS }, (_, client) => cheapRead(`free:${client}`));
  let taken = 0;
  const worker = async () => {
    for (; taken < total; taken += 1) await limiter.take(demands[taken % CLIENTS] ?? []);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function cheapRead(identity: string): Demand[] {
  return [
    { identity, name: "globalRpm", limit: 10_000, window: "minute", cost: 1, enforced: true },
    { identity, name: "dailyTotalRequests", limit: 1_000_000, window: "day", cost: 1, enforced: true },
  ];
}

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === undefined) await benchLimitedRead();
  else if (role === "bare") await Bun.write(addressFile, await serveBare(argument));
  else {
    const [databaseUrl = "", redisUrl] = argument.split(" ");
    await Bun.write(addressFile, await serveApi(databaseUrl, redisUrl));
  }
}
