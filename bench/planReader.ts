import { pinBlock } from "@dueday/chain/block/pinBlock";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { planBacklog } from "@dueday/chain/remit/planBacklog";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { getAddress } from "viem";

/** What one plan took, as the planning process prints it. */
export type PlanRun = {
  payments: number;
  transactions: number;
  simulated: number;
  source: string;
  end: string;
  readSeconds: number;
  seconds: number;
  residentBytes: number;
};

/** Plans in a separate process, as the service does: one plan for each line on standard input, each printed as JSON. */
const [url = "", contractText = "", keeperText = ""] = process.argv.slice(2);
const [contract, keeper] = [getAddress(contractText), getAddress(keeperText)];
const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 120_000 });
const stateCache = createRemitStateCache(contract);

for await (const _ of console) {
  const block = await pinBlock(client);
  const start = performance.now();
  await stateCache.read(client, { block, caller: keeper });
  const readSeconds = (performance.now() - start) / 1000;
  const { transactions, source, end } = await planBacklog(client, {
    contract,
    from: keeper,
    block,
    stateCache,
    maxRemits: 100,
    needsModel: () => true,
    onAlarm: (alarm) => console.error("alarm", alarm),
  });
  const run: PlanRun = {
    payments: transactions.reduce((sum, { payments }) => sum + payments, 0),
    transactions: transactions.length,
    simulated: transactions.filter(({ gas }) => gas?.source === "simulated").length,
    source,
    end,
    readSeconds,
    seconds: (performance.now() - start) / 1000,
    residentBytes: process.memoryUsage().rss,
  };
  console.log(JSON.stringify(run));
}
