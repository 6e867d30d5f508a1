import { join } from "node:path";
import { startBenchDatabase } from "./support/benchDatabase";
import { writeDueSnapshot } from "./support/dueSnapshot";
import { median } from "./support/quantile";
import { serveBenchApi } from "./support/serveBenchApi";
import { load, type Measured, printRounds, type Server, serveBare, startServer, stopServers } from "./support/wrk";

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

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === undefined) await benchCachedRead();
  else await Bun.write(addressFile, role === "api" ? await serveBenchApi(argument) : await serveBare(argument));
}
