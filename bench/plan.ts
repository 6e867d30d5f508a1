import { pinBlock } from "@dueday/chain/block/pinBlock";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { planBacklog } from "@dueday/chain/remit/planBacklog";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { startProxy } from "@dueday/chain/test/startProxy";
import { large } from "@dueday/devnet/scenarios/large";
import { startDevnet } from "@dueday/devnet/startDevnet";

/**
 * A plan from a node, end to end, with its RPC requests counted: `bun bench/plan.ts [payments]`. The node is an anvil with a
 * backlog over 28 days; the first plan reads everything, the second only what the cache does not hold. The model's own figures come from
 * a process of its own: its states would stay in the memory that is printed here.
 */
await Bun.spawn([process.execPath, "--no-orphans", `${import.meta.dir}/model.ts`], { stdout: "inherit" }).exited;

const payments = Number(process.argv[2] ?? "100000");
const NOW = Date.UTC(2026, 2, 28, 12) / 1000;

const devnet = await startDevnet({ scenario: large({ payments, days: 28, maxRemits: 100n }), now: NOW });
const proxy = startProxy(devnet.url);
try {
  const client = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 120_000 });
  const stateCache = createRemitStateCache(devnet.contract);
  for (const name of ["first plan", "second plan"]) {
    proxy.requests = 0;
    proxy.calls = [];
    const block = await pinBlock(client);
    const start = performance.now();
    await stateCache.read(client, { block, caller: devnet.keeper.address });
    const read = (performance.now() - start) / 1000;
    const { requests, calls } = proxy;
    const plan = await planBacklog(client, {
      ...{ contract: devnet.contract, from: devnet.keeper.address, block, stateCache, maxRemits: 100 },
      needsModel: () => true,
      onAlarm: (alarm) => console.log("alarm", alarm),
    });
    const all = (performance.now() - start) / 1000;
    const handled = plan.transactions.reduce((sum, transaction) => sum + transaction.payments, 0);
    console.log(
      `${name}: ${handled} payments in ${plan.transactions.length} transactions, ${plan.source}, ends ${plan.end}; ` +
        `state in ${read.toFixed(1)} s with ${requests} HTTP requests of ${calls.length} calls, ` +
        `simulation, state again and model: ${all.toFixed(1)} s in all`,
    );
    const simulated = plan.transactions.filter(({ gas }) => gas?.source === "simulated").length;
    console.log(`  ${simulated} transactions simulated; RSS ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  }
} finally {
  await proxy.stop();
  await devnet.stop();
}
