import { expect, setSystemTime, test } from "bun:test";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import { ServiceError } from "@dueday/core/errors";
import fc from "fast-check";
import type { Exchange } from "./exchange";
import { RequestLine } from "./requestLine";

const REQUEST_ID = "0188a3f0-0000-4000-8000-00000000000";

function exchangeOf(facts: Partial<Exchange> = {}): Exchange {
  const exchange = createTestExchange();
  return { ...exchange, path: "/status", operation: "get_status", client: "AbCd_-0123456789", ...facts };
}

function written(line: RequestLine, exchange: Exchange, milliseconds: number) {
  const block = new Uint8Array(line.longest + 7).fill(0x7e);
  const end = line.write(block, 7, exchange, milliseconds);
  const text = new TextDecoder().decode(block.subarray(7, end));
  expect(text.at(-1)).toBe("\n");
  expect(block.subarray(end).every((byte) => byte === 0x7e)).toBe(true);
  return JSON.parse(text);
}

test("a line tells what it was made of, whatever the path holds", () => {
  const paths = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(paths, fc.option(fc.constant("AbCd_-0123456789")), (path, client) => {
      const exchange = exchangeOf({ path, client, chainId: 8453 });
      const { time, ...facts } = written(new RequestLine(exchange, 404), exchange, 0);
      expect(Date.parse(time)).toBeGreaterThan(0);
      expect(facts).toEqual({
        level: "info",
        requestId: exchange.requestId,
        client,
        method: "GET",
        path: path.slice(0, 200),
        operation: "get_status",
        chainId: 8453,
        lane: "free",
        status: 404,
        msg: "request",
        milliseconds: 0,
      });
    }),
  );
});

test("a refusal tells its code, and is no line of an answer", () => {
  const refused = exchangeOf({ error: new ServiceError("NOT_FOUND", "There is no such path") });
  const line = new RequestLine(refused, 404);
  expect(written(line, refused, 1)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect(line.suits(refused, 404)).toBe(true);
  expect(line.suits(exchangeOf(), 404)).toBe(false);
  expect(line.suits(exchangeOf({ error: new ServiceError("NOT_INDEXED", "Not yet") }), 404)).toBe(false);
});

test("durations are told in thousandths", () => {
  const exchange = exchangeOf();
  const line = new RequestLine(exchange, 200);
  const durations = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(durations, (milliseconds) => {
      expect(written(line, exchange, milliseconds).milliseconds).toBe(Math.round(milliseconds * 1000) / 1000);
    }),
    { examples: [[0], [0.001], [0.9996], [1], [9.9994], [9.9996], [10], [123_456.789]] },
  );
});

test("the same line tells time, id and client of each request anew", () => {
  const line = new RequestLine(exchangeOf(), 200);
  try {
    for (let index = 0; index < 10; index += 1) {
      const now = Date.UTC(2026, 10, 21, 23, 59, 59, 996 + index);
      setSystemTime(now);
      const told = { requestId: REQUEST_ID + index, client: `client-${index}-6789abc`.slice(0, 16) };
      const exchange = exchangeOf(told);
      expect(line.suits(exchange, 200)).toBe(true);
      expect(written(line, exchange, index)).toMatchObject({ ...told, time: new Date(now).toISOString() });
    }
  } finally {
    setSystemTime();
  }
});

test("a line suits no request that tells anything else", () => {
  const line = new RequestLine(exchangeOf(), 200);
  const others: Partial<Exchange>[] = [
    { method: "POST" },
    { path: "/catalog" },
    { operation: null },
    { chainId: 1 },
    { lane: "developer" },
    { client: null },
    { client: "AbCd" },
  ];
  expect(line.suits(exchangeOf(), 200)).toBe(true);
  expect(line.suits(exchangeOf(), 304)).toBe(false);
  for (const facts of others) expect(line.suits(exchangeOf(facts), 200)).toBe(false);
});
