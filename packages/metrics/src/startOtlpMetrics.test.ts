import { expect, test } from "bun:test";
import { startCollector } from "@dueday/test-support/startCollector";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { startOtlpMetrics } from "./startOtlpMetrics";

function filledRegistry(): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "calls_total", help: "Calls", labelNames: ["chain"], registers }).inc({ chain: "8453" }, 3);
  new Gauge({ name: "age_seconds", help: "Age", registers }).set(2.5);
  const seconds = new Histogram({
    name: "call_seconds",
    help: "Time",
    labelNames: ["node"],
    buckets: [0.1, 1],
    registers,
  });
  for (const value of [0.05, 0.5, 0.7, 9]) seconds.observe({ node: "0" }, value);
  return registry;
}

const fails = (error: unknown) => {
  throw error;
};

test("a collector receives counters, gauges and histograms with the values of the registry, again and again, and the last at the end", async () => {
  await using collector = startCollector();
  const { endpoint, received } = collector;
  const options = { registry: filledRegistry(), endpoint: `${endpoint}/`, service: "dueday-api", onFault: fails };
  const sender = startOtlpMetrics({ ...options, intervalMs: 5 });
  await waitUntil("two requests", async () => received.length >= 2);
  const before = received.length;
  await sender.stop();
  expect(received.length).toBeGreaterThan(before);
  const [first] = received;
  expect(first).toMatchObject({ path: "/v1/metrics", type: "application/json" });
  const nanoseconds = expect.stringMatching(/^\d{19}$/);
  const times = { startTimeUnixNano: nanoseconds, timeUnixNano: nanoseconds };
  const attribute = (key: string, stringValue: string) => [{ key, value: { stringValue } }];
  expect(first?.body).toEqual({
    resourceMetrics: [
      {
        resource: { attributes: attribute("service.name", "dueday-api") },
        scopeMetrics: [
          {
            scope: { name: "dueday" },
            metrics: [
              {
                name: "calls_total",
                description: "Calls",
                sum: {
                  dataPoints: [{ ...times, attributes: attribute("chain", "8453"), asDouble: 3 }],
                  aggregationTemporality: 2,
                  isMonotonic: true,
                },
              },
              {
                name: "age_seconds",
                description: "Age",
                gauge: { dataPoints: [{ ...times, attributes: [], asDouble: 2.5 }] },
              },
              {
                name: "call_seconds",
                description: "Time",
                histogram: {
                  dataPoints: [
                    {
                      ...times,
                      attributes: attribute("node", "0"),
                      count: "4",
                      sum: 10.25,
                      bucketCounts: ["1", "2", "1"],
                      explicitBounds: [0.1, 1],
                    },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("a collector that refuses is reported, and gets the next values", async () => {
  await using collector = startCollector(503);
  const faults: unknown[] = [];
  const sender = startOtlpMetrics({
    registry: filledRegistry(),
    endpoint: collector.endpoint,
    service: "dueday-worker",
    intervalMs: 5,
    onFault: (error) => faults.push(error),
  });
  await waitUntil("two faults", async () => faults.length >= 2);
  await sender.stop();
  expect(String(faults[0])).toContain("503");
});

test("without an endpoint the registry is not read", async () => {
  const registry = filledRegistry();
  registry.getMetricsAsJSON = () => Promise.reject(new Error("the registry was read"));
  const sender = startOtlpMetrics({ registry, endpoint: null, service: "dueday-api", intervalMs: 1, onFault: fails });
  await sender.stop();
});
