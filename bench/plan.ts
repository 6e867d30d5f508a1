import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { startProxy } from "@dueday/chain/test/startProxy";
import { large } from "@dueday/devnet/scenarios/large";
import { startDevnet } from "@dueday/devnet/startDevnet";
import type { PlanRun } from "./planReader";

/**
 * A plan from a node, end to end, with its RPC requests counted: `bun bench/plan.ts [payments]`. The node is an anvil with a
 * backlog over 28 days; the first plan reads everything, the second only what the cache does not hold. A separate process makes the
 * plans, and another one the model's figures: otherwise the printed memory would include what the creation of the backlog left.
 */
await Bun.spawn([process.execPath, "--no-orphans", `${import.meta.dir}/model.ts`], { stdout: "inherit" }).exited;

const payments = Number(process.argv[2] ?? "100000");
const NOW = Date.UTC(2026, 2, 28, 12) / 1000;

const devnet = await startDevnet({ scenario: large({ payments, days: 28, maxRemits: 100n }), now: NOW });
const proxy = startProxy(devnet.url);
const program = ["--no-orphans", `${import.meta.dir}/planReader.ts`, proxy.url, devnet.contract, devnet.keeper.address];
const planner = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
const runs = createInterface({ input: planner.stdout })[Symbol.asyncIterator]();
try {
  for (const name of ["first plan", "second plan"]) {
    proxy.requests = 0;
    proxy.calls = [];
    planner.stdin.write("plan\n");
    const { value, done } = await runs.next();
    if (done === true) throw new Error("the planning process ended");
    const run: PlanRun = JSON.parse(value);
    console.log(
      `${name}: ${run.payments} payments in ${run.transactions} transactions, ${run.source}, ends ${run.end}; ` +
        `state in ${run.readSeconds.toFixed(1)} s; simulation, state again and model: ${run.seconds.toFixed(1)} s in all, ` +
        `with ${proxy.requests} HTTP requests of ${proxy.calls.length} calls`,
    );
    console.log(
      `  ${run.simulated} transactions simulated; RSS of its process ${Math.round(run.residentBytes / 2 ** 20)} MB`,
    );
  }
} finally {
  planner.kill();
  await proxy.stop();
  await devnet.stop();
}
