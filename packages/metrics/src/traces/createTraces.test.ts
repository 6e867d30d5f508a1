import { expect, test } from "bun:test";
import { startCollector } from "@dueday/test-support/startCollector";
import { createRegistry } from "../createRegistry";
import { startTelemetry } from "../startTelemetry";
import { createTraces } from "./createTraces";

const fails = (error: unknown) => {
  throw error;
};
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const report = { method: "eth_call", purpose: "live", urlIndex: 1, milliseconds: 12, computeUnits: 26, bytes: 90 };

function requestWith(traceparent?: string): Request {
  return new Request("http://127.0.0.1/remit/plan?key=secret", { headers: traceparent ? { traceparent } : {} });
}

test("a request continues the trace of its traceparent, and its calls of nodes are parts of it, sent by any of them", async () => {
  await using collector = startCollector();
  const traces = createTraces({ endpoint: collector.endpoint, service: "dueday-api", percent: 1, onFault: fails });
  const reports: ReturnType<ReturnType<typeof traces.onCall>>[] = [];
  const answer = traces.aroundRequests(async () => {
    traces.describe("GET get_remit_plan", { "http.response.status_code": 200, "dueday.chain_id": null });
    await Promise.resolve();
    reports.push(traces.onCall(8453)());
    return new Response("{}");
  });
  await Promise.all([answer(requestWith(`00-${TRACE_ID}-${PARENT_ID}-01`)), answer(requestWith())]);
  // As a batch does, outside of both requests.
  for (const note of reports) note?.({ ...report, outcome: "ok" });
  await traces.stop();
  const spans = collector.spans().filter(({ traceId }) => traceId === TRACE_ID);
  expect(spans).toHaveLength(2);
  const request = spans.find(({ name }) => name === "GET get_remit_plan");
  expect(request).toMatchObject({ service: "dueday-api", parentSpanId: PARENT_ID, isFault: false });
  expect(request?.facts).toEqual({ "http.response.status_code": 200 });
  expect(spans.find(({ name }) => name === "eth_call")).toMatchObject({
    parentSpanId: request?.spanId ?? "",
    facts: { "dueday.chain_id": 8453, "dueday.node": 1, "dueday.purpose": "live", "dueday.outcome": "ok" },
  });
  expect(JSON.stringify(collector.received)).not.toContain("secret");
});

test("work has a span with the code of its error, without the message; a call without a span is not traced", async () => {
  await using collector = startCollector();
  const traces = createTraces({ endpoint: collector.endpoint, service: "dueday-worker", percent: 100, onFault: fails });
  const error = Object.assign(new Error("http://node.example/key is away"), { code: "UPSTREAM_UNAVAILABLE" });
  const scan = traces.run("scan_remit", { "dueday.chain_id": 1 }, async () => {
    traces.onCall(1)()?.({ ...report, outcome: "timeout" });
    throw error;
  });
  expect(await scan.catch((thrown: unknown) => thrown)).toBe(error);
  traces.note("webhook attempt", { "dueday.chain_id": 1 }, 250, "STATUS");
  expect(traces.onCall(1)()).toBeNull();
  await traces.stop();
  const faults = collector.spans().map(({ name, facts, isFault }) => [name, facts["error.type"], isFault]);
  expect(faults.toSorted()).toEqual([
    ["eth_call", "timeout", true],
    ["scan_remit", "UPSTREAM_UNAVAILABLE", true],
    ["webhook attempt", "STATUS", true],
  ]);
  expect(JSON.stringify(collector.received)).not.toContain("node.example");
});

test("a trace whose sender does not record it is not recorded, and of others the given share is", async () => {
  await using collector = startCollector();
  const traces = createTraces({ endpoint: collector.endpoint, service: "dueday-api", percent: 50, onFault: fails });
  const answer = traces.aroundRequests(async () => new Response());
  for (let each = 0; each < 100; each++) await answer(requestWith(`00-${TRACE_ID}-${PARENT_ID}-00`));
  for (let each = 0; each < 400; each++) await answer(requestWith());
  await traces.stop();
  const count = collector.spans().length;
  expect(count).toBeGreaterThan(120);
  expect(count).toBeLessThan(280);
});

test("a collector that refuses is reported, and the end of the process does not wait for it", async () => {
  await using collector = startCollector(400);
  const faults: unknown[] = [];
  const options = { service: "dueday-api", percent: 100, onFault: (error: unknown) => void faults.push(error) };
  const traces = createTraces({ endpoint: collector.endpoint, ...options });
  await traces.run("scan_due", {}, async () => {});
  const startedAt = performance.now();
  await traces.stop();
  expect(faults.length).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("without a collector, or with a share of 0, there is nothing to call", async () => {
  const options = { registry: createRegistry(), service: "dueday-api", logger: { warn() {} } };
  for (const settings of [
    { otlpEndpoint: null, tracesPercent: 100 },
    { otlpEndpoint: "http://127.0.0.1:1", tracesPercent: 0 },
  ]) {
    const telemetry = await startTelemetry(settings, options);
    expect(telemetry.traces).toBeNull();
    await telemetry.stop();
  }
});
