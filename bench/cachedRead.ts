import { join } from "node:path";
import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
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
 * Requests a second of a cached `GET /subscriptions/due` (a body of 3 to 6 KB, request log on, limits lifted), as a ratio to a
 * bare `Bun.serve` that sends the same bytes in the same run, measured with `wrk -t1 -c64`; and the server's CPU time for each
 * request. The servers alternate for several rounds, because the speed of a shared machine varies.
 */

const PATH = "/subscriptions/due";
const ROUNDS = 5;
const SECONDS = 3;

/** Runs the comparison and prints it. Returns false when wrk is not installed. */
export async function benchCachedRead(): Promise<boolean> {
  if (Bun.which("wrk") === null) {
    console.log("cached read: skipped, wrk is not installed (apt-get install wrk)");
    return false;
  }
  const postgres = await startBenchDatabase();
  const { folder } = postgres;
  try {
    await writeDueSnapshot(postgres.url);
    const api = await startServer(import.meta.path, ["api", postgres.url], folder);
    const body = await (await fetch(api.url + PATH)).text();
    await Bun.write(join(folder, "body.json"), body);
    const bare = await startServer(import.meta.path, ["bare", join(folder, "body.json")], folder);
    try {
      await compare(api, bare, body.length);
    } finally {
      await stopServers([api, bare]);
    }
  } finally {
    await postgres.stop();
  }
  return true;
}

async function compare(api: Server, bare: Server, bytes: number): Promise<void> {
  await load(api, PATH, 1);
  await load(bare, PATH, 1);
  const rounds: { api: Measured; bare: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await load(bare, PATH, SECONDS), api: await load(api, PATH, SECONDS) });
  }
  const ratios = rounds.map((round) => round.api.requestsPerSecond / round.bare.requestsPerSecond);
  console.log(`cached read: GET ${PATH}, ${bytes} bytes, wrk -t1 -c64, median of ${ROUNDS} rounds of ${SECONDS} s`);
  printRounds(
    "bare",
    rounds.map((round) => round.bare),
  );
  printRounds(
    "api",
    rounds.map((round) => round.api),
  );
  console.log(`  ratio ${median(ratios).toFixed(2)} (required: at least 0.50)`);
}

async function serveApi(databaseUrl: string): Promise<string> {
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(BENCH_CHAIN_ID),
    // Nothing listens there: a cached read sends no request to a node.
    [`CHAIN_${BENCH_CHAIN_ID}_RPC_URLS`]: "http://127.0.0.1:9",
    [`CHAIN_${BENCH_CHAIN_ID}_CONTRACT`]: BENCH_CONTRACT,
    ...UNLIMITED,
  });
  const database = connectDatabase({ url: databaseUrl });
  const { url } = await startApi(config, { logger: createLogger(config), database, databaseUrl });
  return url;
}

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === undefined) await benchCachedRead();
  else await Bun.write(addressFile, role === "api" ? await serveApi(argument) : await serveBare(argument));
}
