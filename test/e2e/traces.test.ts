import { afterAll, expect, test } from "bun:test";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startCollector } from "@dueday/test-support/startCollector";
import { startProcess } from "./startProcess";

const { url: databaseUrl } = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
afterAll(() => devnet.stop());

const SEPARATE = ["apps/worker/src/main.ts", "apps/api/src/main.ts"];

/** Worker and API, from their settings to SIGTERM. @returns the names of the spans of each service */
async function tracedNames(percent: string, programs: readonly string[]): Promise<Record<string, Set<string>>> {
  await using collector = startCollector();
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: "0",
    WEB_ENABLED: "false",
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    TRACES_PERCENT: percent,
  };
  const processes = await Promise.all(programs.map((program) => startProcess(program, { env })));
  try {
    await processes[0]?.printed(/"job":"scan_remit"/);
    const [, url = ""] = (await processes.at(-1)?.printed(/Dueday (?:API )?on (\S+)/)) ?? [];
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
  const names = await tracedNames("100", SEPARATE);
  expect(names["dueday-api"]).toContain("GET get_status");
  expect(names["dueday-worker"]).toContain("scan_remit");
});

test("the service in one process sends the spans of both", async () => {
  const names = await tracedNames("100", ["apps/local/src/start.ts"]);
  expect(names).toEqual({ dueday: expect.any(Set) });
  expect([...(names.dueday ?? [])]).toEqual(expect.arrayContaining(["GET get_status", "scan_remit"]));
});

test("without it the collector gets metrics alone", async () => {
  expect(await tracedNames("0", SEPARATE)).toEqual({});
});
