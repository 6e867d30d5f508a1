import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { confirmWebhook } from "@dueday/db/webhooks/confirmWebhook";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { createWebhook } from "@dueday/db/webhooks/storeWebhook";
import { startDelivery } from "@dueday/worker/webhooks/startDelivery";
import { startBenchDatabase } from "./support/benchDatabase";
import { BENCH_CHAIN_ID, BENCH_CONTRACT } from "./support/dueSnapshot";
import { quantile } from "./support/quantile";

/**
 * 100 endpoints, each of which receives 2 events a second: how long an event takes from its transaction to an endpoint, and the CPU time
 * of the deliveries; then, how fast a backlog is delivered. Worker, endpoints and this measurement run in one process, beside PostgreSQL.
 */

const ENDPOINTS = 100;
const EVENTS_A_SECOND = 2;
const SECONDS = 30;
const BACKLOG = 50;

const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url });
const scope = { chainId: BENCH_CHAIN_ID, contract: BENCH_CONTRACT };
const box = createSecretBox("ab".repeat(32));

/** When each event was written, by seq; milliseconds of `performance.now`. */
const writtenAt: number[] = [];
const latencies: number[] = [];
const lastSeqs = new Map<string, number>();
let outOfOrder = 0;
const endpoints = Bun.serve({
  port: 0,
  hostname: "0.0.0.0",
  async fetch(request) {
    const { seq }: { seq: number } = JSON.parse(await request.text());
    latencies.push(performance.now() - (writtenAt[seq] ?? Number.NaN));
    const path = new URL(request.url).pathname;
    if (seq !== (lastSeqs.get(path) ?? 0) + 1) outOfOrder++;
    lastSeqs.set(path, seq);
    return new Response(null, { status: 204 });
  },
});
for (let index = 0; index < ENDPOINTS; index++) {
  const id = crypto.randomUUID();
  const settings = { description: null, types: null, subscriptionId: null, provider: null, subscriber: null };
  const secret = box.seal(`whsec_${Buffer.from(`the secret of endpoint ${index}`).toString("base64")}`, id);
  // Each webhook has its own host and subject, because deliveries are limited for each host and each subject.
  const url = `http://127.0.1.${index + 1}:${endpoints.port}/${index}`;
  const webhook = { id, ...scope, subjectId: `shop ${index}`, url, secret };
  const stored = await createWebhook(database, { ...webhook, ...settings }, { maximum: 1, now: new Date() });
  if (stored === null) throw new Error("the webhook is not stored");
  await confirmWebhook(database, stored, new Date());
}
const delivery = startDelivery({
  database,
  databaseUrl: server.url,
  contracts: [scope],
  box,
  clock: Date.now,
  random: Math.random,
  resolve: async () => [],
  toLoopback: true,
  metrics: { noteAttempt: () => {} },
  logger: createLogger(parseConfig({ LOG_LEVEL: "error" })),
});

async function append(count: number): Promise<void> {
  const first = writtenAt.length === 0 ? 1 : writtenAt.length;
  await appendTestEvents(database, scope, { first, count });
  for (let seq = first; seq < first + count; seq++) writtenAt[seq] = performance.now();
}

async function received(count: number): Promise<void> {
  while (latencies.length < count) await Bun.sleep(5);
}

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
for (let sent = 1; sent <= SECONDS * EVENTS_A_SECOND; sent++) {
  await append(1);
  await Bun.sleep(Math.max(0, startedAt + (sent * 1_000) / EVENTS_A_SECOND - performance.now()));
}
const steady = ENDPOINTS * EVENTS_A_SECOND * SECONDS;
await received(steady);
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(
  `${steady} deliveries to ${ENDPOINTS} endpoints in ${seconds.toFixed(1)} s (${(steady / seconds).toFixed(0)} a second): ` +
    `p50 ${quantile(latencies, 0.5).toFixed(0)} ms, p99 ${quantile(latencies, 0.99).toFixed(0)} ms, ` +
    `${(((user + system) / 1e6 / seconds) * 100).toFixed(0)} % of one core, out of order or twice: ${outOfOrder}`,
);
const backlogAt = performance.now();
await append(BACKLOG);
await received(steady + ENDPOINTS * BACKLOG);
const rate = (ENDPOINTS * BACKLOG) / ((performance.now() - backlogAt) / 1_000);
console.log(`a backlog of ${ENDPOINTS * BACKLOG}: ${rate.toFixed(0)} a second, out of order or twice: ${outOfOrder}`);

await delivery.stop();
await endpoints.stop(true);
await database.close();
await server.stop();
