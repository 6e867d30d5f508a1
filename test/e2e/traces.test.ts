import { afterAll, expect, test } from "bun:test";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startCollector } from "@dueday/test-support/startCollector";
import { startProcess } from "./startProcess";

const { url: databaseUrl } = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
afterAll(() => devnet.stop());

/** An API and a worker, from their settings to SIGTERM. @returns the names of the spans of each service */
async function tracedNames(percent: string): Promise<Record<string, Set<string>>> {
  await using collector = startCollector();
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    TRACES_PERCENT: percent,
  };
  const processes = [
    await startProcess("apps/worker/src/main.ts", { env }),
    await startProcess("apps/api/src/main.ts", { env }),
  ];
  try {
    const [worker, api] = processes;
    await worker?.printed(/"job":"scan_remit"/);
    const [, url = ""] = (await api?.printed(/Dueday API on (\S+)/)) ?? [];
    expect((await fetch(`${url}/status`)).status).toBe(200);
    for (const process of processes) {
      process.kill("SIGTERM");
      expect(await process.exited()).toBe(0);
    }
  } finally {
    for (const process of processes) await process.dispose();
  }
  // Metrics come either way.
  expect(collector.received.some(({ path }) => path === "/v1/metrics")).toBe(true);
  const groups = Map.groupBy(collector.spans(), ({ service }) => service);
  return Object.fromEntries([...groups].map(([service, spans]) => [service, new Set(spans.map(({ name }) => name))]));
}

test("with TRACES_PERCENT API and worker send their spans, the last ones at their end", async () => {
  const names = await tracedNames("100");
  expect(names["dueday-api"]).toContain("GET get_status");
  expect(names["dueday-worker"]).toContain("scan_remit");
});

test("without it the collector gets metrics alone", async () => {
  expect(await tracedNames("0")).toEqual({});
});
