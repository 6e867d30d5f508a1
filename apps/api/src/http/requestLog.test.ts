import { expect, test } from "bun:test";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import { createLineLog } from "@dueday/config/createLineLog";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import fc from "fast-check";
import type { Exchange } from "./exchange";
import { requestFacts } from "./requestLine";
import { createRequestLog } from "./requestLog";

type Told = { exchange: Exchange; status: number; milliseconds: number };

/** What is written of requests of one turn. */
async function linesOf(requests: readonly Told[], level = "info"): Promise<Record<string, unknown>[]> {
  const written: string[] = [];
  const logger = createLogger(parseConfig({ LOG_LEVEL: level }), { write: (text) => void written.push(text) });
  const log = createRequestLog(logger, createLineLog(logger));
  for (const { exchange, status, milliseconds } of requests) log(exchange, status, milliseconds);
  await new Promise(setImmediate);
  const lines = written.join("").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const NOT_FOUND = new ServiceError("NOT_FOUND", "There is no such path");
const BROKEN = new ServiceError("INTERNAL", "It broke", { details: { internal: { name: "RangeError" } } });

const request = fc
  .record({
    path: fc.oneof(
      fc.integer({ min: 0, max: 12 }).map((number) => `/${number}`),
      fc.string({ unit: "binary" }),
    ),
    client: fc.constantFrom(null, "AbCd_-0123456789", "0123456789abcdef"),
    lane: fc.constantFrom("free" as const, "developer" as const),
    chainId: fc.constantFrom(null, 8453),
    status: fc.constantFrom(200, 304, 404),
    milliseconds: fc.integer({ min: 0, max: 20_000_000 }).map((thousandths) => thousandths / 1000),
  })
  .map(({ status, milliseconds, ...facts }): Told => {
    const exchange = createTestExchange();
    return { exchange: { ...exchange, ...facts, error: status === 404 ? NOT_FOUND : null }, status, milliseconds };
  });

test("each of many kinds of requests, in any order, has one line, which tells of it alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
      const told = (await linesOf(requests)).map(({ level: _level, time: _time, msg: _msg, ...facts }) => facts);
      const expected = requests.map(({ exchange, status, milliseconds }) =>
        JSON.parse(JSON.stringify({ ...requestFacts(exchange, status), milliseconds })),
      );
      expect(told).toEqual(expected);
    }),
  );
});

test("a failure of the service is told as an error, with its details", async () => {
  const exchange = createTestExchange();
  const failed = { ...exchange, path: "/status", error: BROKEN };
  const [line, ...others] = await linesOf([{ exchange: failed, status: 500, milliseconds: 12.3456 }]);
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    level: "error",
    msg: "request",
    requestId: exchange.requestId,
    path: "/status",
    code: "INTERNAL",
    milliseconds: 12.346,
    internal: { name: "RangeError" },
  });
});

test("nothing is told of requests above level info", async () => {
  const exchange = createTestExchange();
  expect(await linesOf([{ exchange, status: 200, milliseconds: 1 }], "warn")).toEqual([]);
});
