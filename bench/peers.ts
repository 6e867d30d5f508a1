import { join } from "node:path";
import { startRedis } from "@dueday/test-support/startRedis";
import { DAY_LIMIT, LIMIT, type Peer, type PeerAnswer, peers, servePeer } from "./peers/servePeer";
import { startBenchDatabase } from "./support/benchDatabase";
import { median } from "./support/quantile";
import { writeReadinessSnapshot } from "./support/readinessSnapshot";
import { serveBenchApi } from "./support/serveBenchApi";
import { load, type Measured, printRounds, type Server, serveBare, startServer, stopServers } from "./support/wrk";

/**
 * Requests a second of a polled read (readiness, with its tag) for 5,000 clients behind a trusted proxy, compared with the
 * usual stacks of Fastify, Hono and Elysia with their limiter, a log line and a histogram: all on Bun, in turn, with the CPU time of each
 * request. A bare `Bun.serve` with the same bytes is the upper bound. In addition, the API has lanes, credentials, an exact sliding minute,
 * hashed clients and a log without secrets.
 */

const PATH = "/remit/readiness";
const ROUNDS = 5;
const SECONDS = 3;
/** The engine compiles code that runs seldom only after some seconds. */
const WARM_UP_SECONDS = 5;
const CLIENTS = 5_000;

type Comparison = { server: string; against: string; atLeast: number };

const COMPARISONS: readonly Comparison[] = [
  { server: "api", against: "fastify", atLeast: 2 },
  { server: "api", against: "hono", atLeast: 1.1 },
  { server: "api", against: "elysia", atLeast: 1.1 },
  { server: "api-redis", against: "fastify-redis", atLeast: 1.3 },
];

/** Runs the comparison and prints it. Returns false when wrk is not installed. */
export async function benchPeers(): Promise<boolean> {
  if (Bun.which("wrk") === null) {
    console.log("peers: skipped, wrk is not installed (apt-get install wrk)");
    return false;
  }
  const postgres = await startBenchDatabase();
  const { folder } = postgres;
  const redis = await startRedis();
  const servers: Record<string, Server> = {};
  const start = async (name: string, ...parts: string[]) => {
    servers[name] = await startServer(import.meta.path, [name, parts.join(" ")], folder);
    return servers[name];
  };
  try {
    await writeReadinessSnapshot(postgres.url);
    const { url } = await start("api", postgres.url);
    await start("api-redis", postgres.url, `unix://${redis.path}`);
    const response = await fetch(url + PATH);
    const answer: PeerAnswer = { path: PATH, body: await response.text(), etag: response.headers.get("etag") ?? "" };
    const answerFile = join(folder, "answer.json");
    await Bun.write(answerFile, JSON.stringify(answer));
    await Bun.write(join(folder, "body.json"), answer.body);
    await start("bare", join(folder, "body.json"));
    for (const peer of peers) await start(peer, answerFile);
    await start("fastify-redis", answerFile, redis.path);
    await compare(servers, folder, answer.body.length);
  } finally {
    await stopServers(Object.values(servers));
    await redis.stop();
    await postgres.stop();
  }
  return true;
}

async function compare(servers: Readonly<Record<string, Server>>, folder: string, bytes: number): Promise<void> {
  const lua = join(folder, "clients.lua");
  await Bun.write(lua, MANY_CLIENTS);
  const rounds = Object.entries(servers).map(([name, server]) => ({ name, server, measured: [] as Measured[] }));
  for (const { server } of rounds) await load(server, PATH, WARM_UP_SECONDS, lua);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { server, measured } of rounds) measured.push(await load(server, PATH, SECONDS, lua));
  }
  console.log(
    `peers: GET ${PATH}, ${bytes} bytes, ${CLIENTS} clients, wrk -t1 -c64, median of ${ROUNDS} rounds of ${SECONDS} s`,
  );
  for (const { name, measured } of rounds) printRounds(name, measured);
  const ratesOf = (wanted: string) =>
    rounds.find(({ name }) => name === wanted)?.measured.map(({ requestsPerSecond }) => requestsPerSecond) ?? [];
  for (const { server, against, atLeast } of COMPARISONS) {
    const others = ratesOf(against);
    const ratio = median(ratesOf(server).map((rate, round) => rate / (others[round] ?? Number.NaN)));
    console.log(`  ${server} / ${against} ${ratio.toFixed(2)} (required: at least ${atLeast.toFixed(1)})`);
  }
}

/** A wrk script. It creates the requests before the run, so that their creation is not measured. */
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
  return await serveBenchApi(databaseUrl, {
    REDIS_URL: redisUrl,
    TRUSTED_PROXIES: "127.0.0.1/32",
    LIMIT_FREE_GLOBAL_RPM: String(LIMIT),
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: String(DAY_LIMIT),
  });
}

async function serve(role: string, first = "", second?: string): Promise<string> {
  if (role === "bare") return await serveBare(first);
  if (role === "api" || role === "api-redis") return await serveApi(first, second);
  const peer = peers.find((each): each is Peer => role.startsWith(each));
  if (peer === undefined) throw new Error(`there is no server ${role}`);
  return await servePeer(peer, await Bun.file(first).json(), second);
}

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === undefined) await benchPeers();
  else await Bun.write(addressFile, await serve(role, ...argument.split(" ")));
}
