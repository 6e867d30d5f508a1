import { expect, setSystemTime, test } from "bun:test";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import fc from "fast-check";
import type { Exchange } from "./exchange";
import { createRequestLog } from "./requestLog";

type Answered = { exchange: Exchange; status: number; milliseconds: number };

function exchangeOf(facts: Partial<Exchange> = {}): Exchange {
  return createTestExchange({ path: "/status", operation: "get_status", client: "AbCd_-0123456789", ...facts });
}

/** The lines of the log about these requests. */
function linesOf(requests: readonly Answered[], level = "info"): Record<string, unknown>[] {
  const written: string[] = [];
  const logger = createLogger(parseConfig({ LOG_LEVEL: level }), { write: (text) => void written.push(text) });
  const log = createRequestLog(logger);
  for (const { exchange, status, milliseconds } of requests) log(exchange, status, milliseconds);
  const lines = written.join("").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function lineOf(exchange: Exchange, status: number, milliseconds = 0): Record<string, unknown> {
  const lines = linesOf([{ exchange, status, milliseconds }]);
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
}

const NOT_FOUND = new ServiceError("NOT_FOUND", "There is no such path");
const BROKEN = new ServiceError("INTERNAL", "It broke", { details: { internal: { name: "RangeError" } } });

const request = fc
  .record({
    path: fc.oneof(
      fc.integer({ min: 0, max: 12 }).map((number) => `/${number}`),
      fc.string({ unit: "binary", maxLength: 300 }),
    ),
    method: fc.constantFrom("GET", "POST"),
    operation: fc.constantFrom(null, "get_status", "get_catalog"),
    client: fc.constantFrom(null, "AbCd_-0123456789", "0123456789abcdef"),
    lane: fc.constantFrom("free" as const, "developer" as const, "none" as const),
    chainId: fc.constantFrom(null, 8453),
    status: fc.constantFrom(200, 304, 404, 500),
    milliseconds: fc.integer({ min: 0, max: 20_000_000 }).map((thousandths) => thousandths / 1000),
  })
  .map(({ status, milliseconds, ...facts }): Answered => {
    const error = status === 404 ? NOT_FOUND : status === 500 ? BROKEN : null;
    return { exchange: exchangeOf({ ...facts, error }), status, milliseconds };
  });

test("each request has one line, in their order, with its own facts alone, whatever its path holds", () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
      const lines = linesOf(requests).map(({ time, ...facts }) => {
        expect(Date.parse(String(time))).toBeGreaterThan(0);
        return facts;
      });
      const expected = requests.map(({ exchange, status, milliseconds }) => ({
        level: status === 500 ? "error" : "info",
        requestId: exchange.requestId,
        client: exchange.client,
        method: exchange.method,
        path: exchange.path.slice(0, 200),
        operation: exchange.operation,
        chainId: exchange.chainId,
        lane: exchange.lane,
        status,
        ...(exchange.error === null ? {} : { code: exchange.error.code }),
        ...(status === 500 ? { internal: { name: "RangeError" } } : {}),
        milliseconds,
        msg: "request",
      }));
      expect(lines).toEqual(expected);
    }),
  );
});

test("a path can't end its line or add a field to it", () => {
  const path = `/","lane":"developer"}\n{"level":"info","msg":"request"}\r\n\u2028`;
  expect(lineOf(exchangeOf({ path }), 404)).toMatchObject({ path, lane: "free" });
});

test("a refusal shows its code", () => {
  expect(lineOf(exchangeOf({ error: NOT_FOUND }), 404, 1)).toMatchObject({
    level: "info",
    status: 404,
    code: "NOT_FOUND",
  });
});

test("a failure of the service is logged as an error, with its details", () => {
  const exchange = exchangeOf({ error: BROKEN });
  expect(lineOf(exchange, 500, 12.3456)).toMatchObject({
    level: "error",
    msg: "request",
    requestId: exchange.requestId,
    path: "/status",
    code: "INTERNAL",
    milliseconds: 12.346,
    internal: { name: "RangeError" },
  });
});

test("the details of a failure replace no fact of the request", () => {
  const details = { method: "eth_call", code: "57P01", status: 429, lane: "none", milliseconds: 5_000 };
  const error = new ServiceError("UPSTREAM_ERROR", "The node failed", { details });
  const facts = { method: "GET", code: "UPSTREAM_ERROR", status: 502, lane: "free", milliseconds: 1 };
  expect(lineOf(exchangeOf({ error }), 502, 1)).toMatchObject(facts);
});

test("durations are milliseconds, rounded to thousandths", () => {
  const durations = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(durations, (milliseconds) => {
      const line = lineOf(exchangeOf(), 200, milliseconds);
      expect(line.milliseconds).toBe(Math.round(milliseconds * 1000) / 1000);
    }),
    { examples: [[0], [0.001], [0.9996], [1], [9.9994], [9.9996], [10], [123_456.789]] },
  );
});

test("each line has the time, id and client of its own request", () => {
  try {
    for (let index = 0; index < 10; index += 1) {
      const now = Date.UTC(2026, 10, 21, 23, 59, 59, 996 + index);
      setSystemTime(now);
      const own = { requestId: `0188a3f0-0000-4000-8000-00000000000${index}`, client: `client-${index}-6789abc` };
      expect(lineOf(exchangeOf(own), 200, index)).toMatchObject({ ...own, time: new Date(now).toISOString() });
    }
  } finally {
    setSystemTime();
  }
});

test("above level info, requests are not logged", () => {
  expect(linesOf([{ exchange: exchangeOf(), status: 200, milliseconds: 1 }], "warn")).toEqual([]);
});
