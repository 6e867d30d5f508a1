import { afterAll, expect, test } from "bun:test";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTraces } from "@dueday/metrics/traces/createTraces";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startCollector } from "@dueday/test-support/startCollector";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
afterAll(() => devnet.stop());
const parts = { database, rpcUrl: devnet.url, contract: devnet.contract };
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT_ID = "00f067aa0ba902b7";

test("a request with a traceparent is one span of that trace by its operation, with each request to a node that it caused, and neither has a URL", async () => {
  await using collector = startCollector();
  const traces = createTraces({
    endpoint: collector.endpoint,
    service: "dueday-api",
    percent: 1,
    onFault(error) {
      throw error;
    },
  });
  const api = await startTestApi({ ...parts, traces });
  const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` };
  const requestId = crypto.randomUUID();
  const read = await fetch(`${api.url}/remit/plan`, { headers: { ...headers, "X-Request-Id": requestId } });
  expect(read.status).toBe(200);
  expect((await fetch(`${api.url}/no-such-path`, { headers })).status).toBe(404);
  await api.stop();
  await traces.stop();
  const spans = collector.spans().filter(({ traceId }) => traceId === TRACE_ID);
  const requests = spans.filter(({ parentSpanId }) => parentSpanId === PARENT_ID);
  expect(requests.map(({ name }) => name).toSorted()).toEqual(["GET get_remit_plan", "GET none"]);
  const plan = requests.find(({ name }) => name === "GET get_remit_plan");
  expect(plan).toMatchObject({
    isFault: false,
    facts: {
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "dueday.operation": "get_remit_plan",
      "dueday.chain_id": 31337,
      "dueday.lane": "free",
      "dueday.request_id": requestId,
    },
  });
  const calls = spans.filter(({ parentSpanId }) => parentSpanId === plan?.spanId);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.every(({ name, facts }) => name.startsWith("eth_") && facts["dueday.node"] === 0)).toBe(true);
  expect(spans).toHaveLength(requests.length + calls.length);
  const sent = JSON.stringify(collector.received);
  for (const hidden of [devnet.url, new URL(database.url).password, "no-such-path"]) expect(sent).not.toContain(hidden);
});
