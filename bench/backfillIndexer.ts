import { readFile } from "node:fs/promises";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createNewBlocksSize } from "@dueday/worker/indexer/catchUp";
import { createChainData } from "@dueday/worker/indexer/createChainData";
import { createFinalityReader } from "@dueday/worker/indexer/createFinalityReader";
import { createProgress } from "@dueday/worker/indexer/createProgress";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { createRangeSize } from "@dueday/worker/logs/createRangeSize";
import { getAddress } from "viem";

/** Runs the indexer in a separate process, once up to the head. Prints its seconds, its seconds of CPU time, and its peak memory as JSON. */
const [databaseUrl = "", url = "", chainIdText = "", contractText = ""] = process.argv.slice(2);
const chainId = Number(chainIdText);
const contract = getAddress(contractText);
const database = connectDatabase({ url: databaseUrl });
const client = createChainClient({ chainId, rpcUrls: [url], requestTimeoutMs: 20_000 });
const logger = createLogger(parseConfig({ LOG_LEVEL: "error" }));
const start = performance.now();
const cpuBefore = process.cpuUsage();
await indexLogs(
  {
    chain: { chainId, contract, startBlock: 0n },
    chainData: createChainData(client, contract),
    progress: createProgress({ logger, clock: Date.now, terminal: null }),
    finality: createFinalityReader({ rpc: client.rpc, clock: Date.now, finalitySeconds: 0 }),
    logsSize: createRangeSize(),
    newBlocks: createNewBlocksSize(),
    database,
    logger,
    clock: Date.now,
    eventsRetentionDays: 30,
  },
  new AbortController().signal,
);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
await database.close();
console.log(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: await peakMegabytes() }));

/** Read from /proc on Linux, where `resourceUsage` can include the process that started this one. */
async function peakMegabytes(): Promise<number> {
  const text = await readFile("/proc/self/status", "utf8").catch(() => "");
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1];
  return Number(kilobytes ?? process.resourceUsage().maxRSS) / 1024;
}
