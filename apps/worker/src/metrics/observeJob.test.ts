import { afterAll, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTraces } from "@dueday/metrics/traces/createTraces";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startCollector } from "@dueday/test-support/startCollector";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startWorker } from "../startWorker";

const { database } = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
afterAll(() => devnet.stop());

test("each scan is a span with its requests to the node, and what nobody waits for is not traced", async () => {
  await using collector = startCollector();
  const config = parseConfig({
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
  });
  const lines: string[] = [];
  const traces = createTraces({
    endpoint: collector.endpoint,
    service: "dueday-worker",
    percent: 100,
    onFault(error) {
      throw error;
    },
  });
  const worker = startWorker(config, {
    database,
    logger: createLogger(config, { write: (line) => void lines.push(line) }),
    clock: Date.now,
    traces,
    onFatal(error) {
      throw error;
    },
  });
  const isDone = (job: string) => lines.some((line) => line.includes(`"job":"${job}"`));
  await waitUntil("both scans", async () => isDone("scan_remit") && isDone("scan_due"));
  await worker.stop();
  await traces.stop();
  const spans = collector.spans();
  const jobs = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(new Set(jobs.map(({ name }) => name))).toContain("scan_remit");
  expect(new Set(jobs.map(({ facts }) => facts["dueday.chain_id"]))).toEqual(new Set([31337]));
  const scan = jobs.find(({ name, isFault }) => name === "scan_remit" && !isFault);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === scan?.spanId).length).toBeGreaterThan(1);
  const known = new Set(jobs.map(({ spanId }) => spanId));
  expect(spans.every(({ parentSpanId }) => parentSpanId === undefined || known.has(parentSpanId))).toBe(true);
  expect(JSON.stringify(collector.received)).not.toContain(devnet.url);
});
