import { planRemit } from "@dueday/core/remit/planRemit";
import type { RemitState } from "@dueday/core/remit/state";
import { DAYS, remitState } from "./support/remitState";

/**
 * How long the pure model plans, and in what memory: `bun bench/model.ts`. States are generated before the clock starts. Every
 * plan begins with cold caches, like the plans of a worker, which does other work between two scans: a small book that is planned
 * repeatedly would stay in the caches, and a large one can't. Each time but that of the first plan is the best of `ROUNDS`, which the rest
 * of the machine disturbed least.
 */
const SMALL = 10_000;
const LARGE = 100_000;
const ROUNDS = 15;

const cacheFiller = new Float64Array(2 ** 22);

/** Seconds that one plan takes. Before it, garbage of earlier plans is collected, and the caches are filled with other data. */
function seconds(state: RemitState): number {
  Bun.gc(true);
  cacheFiller.fill(Math.random());
  const start = performance.now();
  planRemit(state);
  return (performance.now() - start) / 1000;
}

function describe(state: RemitState): string {
  const { transactions, details, end } = planRemit(state);
  const payments = transactions.reduce((sum, transaction) => sum + transaction.payments, 0);
  const failures = transactions.reduce((sum, transaction) => sum + transaction.failures, 0);
  if (details.missed.length > 0 || end !== "caught_up")
    throw new Error("the plan does not settle the whole generated state");
  return `${payments} payments over ${DAYS} days, ${failures} of them failing, in ${transactions.length} transactions`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

const large = remitState(LARGE);
Bun.gc(true);
const before = process.memoryUsage();
const first = seconds(large);
const after = process.memoryUsage();
console.log(`${describe(large)}:`);
console.log(`  first plan ${first.toFixed(3)} s`);
console.log(
  `  memory with the state: RSS ${megabytes(before.rss)}, heap ${megabytes(before.heapUsed)}; after its plan: RSS ${megabytes(after.rss)}`,
);

const small = remitState(SMALL);
let smallTime = Number.POSITIVE_INFINITY;
let largeTime = Number.POSITIVE_INFINITY;
for (let round = 0; round < ROUNDS; round++) {
  smallTime = Math.min(smallTime, seconds(small));
  largeTime = Math.min(largeTime, seconds(large));
}
console.log(`  best of ${ROUNDS} ${largeTime.toFixed(3)} s; ${SMALL} payments ${smallTime.toFixed(4)} s`);
console.log(`  time(${LARGE}) / time(${SMALL}) = ${(largeTime / smallTime).toFixed(1)}`);
