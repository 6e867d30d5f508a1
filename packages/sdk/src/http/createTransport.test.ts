import { afterEach, describe, expect, test } from "bun:test";
import { type StubService, startStubService } from "@dueday/sdk/test/startStubService";
import { createTransport, type TransportOptions } from "./createTransport";
import { DuedayError } from "./duedayError";

let stub: StubService | undefined;
afterEach(() => stub?.stop());

const waits: number[] = [];

function transportTo(answers: (() => Response)[], options: TransportOptions = {}) {
  stub = startStubService((_, index) => answers[Math.min(index, answers.length - 1)]?.() ?? new Response("{}"));
  waits.length = 0;
  const transport = createTransport(options, async (milliseconds, signal) => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  });
  const { url, received } = stub;
  return { received, send: (exchange = {}) => transport.send({ url: `${url}/x`, method: "GET", ...exchange }) };
}

const refused =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: "no", ...body }, { status, headers });
const ok = () => Response.json({ fine: true });

async function errorOf(promise: Promise<unknown>): Promise<DuedayError> {
  const error: unknown = await promise.then(
    () => new Error("it resolved"),
    (reason) => reason,
  );
  if (error instanceof DuedayError) return error;
  throw error;
}

describe("an error carries what the service sent", () => {
  test("code, message, issues, revert, request id, docs, Retry-After and the whole body", async () => {
    const issues = [{ code: "OUT_OF_RANGE", path: "dueDay", message: "must be 1..28" }];
    const revert = { code: "10", name: "INSUFFICIENT", message: "too little" };
    const body = {
      code: "SIMULATION_FAILED",
      issues,
      revert,
      docs: "/docs/errors#SIMULATION_FAILED",
      requestId: "the-id",
      lane: "free",
    };
    const { send, received } = transportTo([refused(422, body, { "Retry-After": "7" })]);
    const error = await errorOf(send());
    expect({ ...error, message: error.message }).toMatchObject({
      name: "DuedayError",
      code: "SIMULATION_FAILED",
      message: "no",
      status: 422,
      issues,
      revert,
      requestId: "the-id",
      docs: "/docs/errors#SIMULATION_FAILED",
      retryAfter: 7,
      body: { lane: "free" },
    });
    expect(DuedayError.is(error)).toBe(true);
    expect(DuedayError.is(error, "NOT_READY", "SIMULATION_FAILED")).toBe(true);
    expect(DuedayError.is(error, "NOT_READY")).toBe(false);
    expect(received.length).toBe(1);
  });

  test("the page of a proxy is INVALID_ANSWER, and repeated where it is a 5xx of the way", async () => {
    const page = () => new Response("<html>", { status: 404 });
    expect((await errorOf(transportTo([page]).send())).code).toBe("INVALID_ANSWER");
    await stub?.stop();
    const gone = () => new Response("<html>", { status: 502 });
    const { send, received } = transportTo([gone, ok]);
    expect((await send()).text).toBe('{"fine":true}');
    expect(received.length).toBe(2);
  });

  test("no service at all is NETWORK_ERROR, without a status", async () => {
    const { send } = transportTo([ok]);
    await stub?.stop();
    expect(await errorOf(send())).toMatchObject({ code: "NETWORK_ERROR", status: null });
    expect(waits.length).toBe(2);
  });
});

describe("a call is repeated", () => {
  const limited = refused(429, { code: "RATE_LIMITED" }, { "Retry-After": "3" });
  const upstream = refused(503, { code: "UPSTREAM_UNAVAILABLE" });

  test("after the time that the service asks for", async () => {
    const { send, received } = transportTo([limited, ok]);
    expect((await send()).response.status).toBe(200);
    expect([received.length, waits]).toEqual([2, [3000]]);
  });

  test("at most `retries` times, with growing pauses", async () => {
    const { send, received } = transportTo([upstream], { retries: 3 });
    expect((await errorOf(send())).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(received.length).toBe(4);
    const [first = 0, second = 0, third = 0] = waits;
    for (const [pause, longest] of [
      [first, 250],
      [second, 500],
      [third, 1000],
    ] as const) {
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
  });

  test("not where the service asks for more than `maxRetryDelayMs`", async () => {
    const { send, received } = transportTo([limited, ok], { maxRetryDelayMs: 2_000 });
    expect(await errorOf(send())).toMatchObject({ code: "RATE_LIMITED", retryAfter: 3 });
    expect(received.length).toBe(1);
  });

  test("not for what a repetition does not change", async () => {
    for (const [status, code] of [
      [400, "VALIDATION_ERROR"],
      [409, "NOT_READY"],
      [500, "INTERNAL"],
      [503, "API_DISABLED"],
    ] as const) {
      const { send, received } = transportTo([refused(status, { code })]);
      expect((await errorOf(send())).code).toBe(code);
      expect(received.length).toBe(1);
      await stub?.stop();
    }
  });

  test("not where it may do something twice, unless it was refused before it did anything", async () => {
    const first = transportTo([upstream, ok]);
    expect((await errorOf(first.send({ method: "POST", body: "{}", changes: true }))).code).toBe(
      "UPSTREAM_UNAVAILABLE",
    );
    expect(first.received.length).toBe(1);
    await stub?.stop();
    const second = transportTo([limited, ok]);
    await second.send({ method: "POST", body: "{}", changes: true });
    expect(second.received.map(({ method, body }) => `${method} ${body}`)).toEqual(["POST {}", "POST {}"]);
  });
});

describe("an abort", () => {
  test("rejects with the reason of the signal, before, during and between attempts", async () => {
    const reason = new Error("left the page");
    const controller = new AbortController();
    const { send, received } = transportTo([
      () => {
        controller.abort(reason);
        return Response.json({ error: "no", code: "NOT_INDEXED" }, { status: 503 });
      },
    ]);
    await expect(send({ signal: controller.signal })).rejects.toBe(reason);
    await expect(send({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await send({ signal: controller.signal }).catch(() => undefined);
    expect(received.length).toBeLessThanOrEqual(1);
  });

  test("a service that does not answer in time is TIMEOUT, once", async () => {
    stub = startStubService(() => new Promise(() => undefined));
    const { send } = createTransport({ timeoutMs: 1_000 });
    expect((await errorOf(send({ url: stub.url, method: "GET" }))).code).toBe("TIMEOUT");
    expect(stub.received.length).toBe(1);
  });
});

test("the key goes into the Authorization header, and a body is JSON", async () => {
  const { send, received } = transportTo([ok], { apiKey: "dueday_key" });
  await send({ method: "POST", body: '{"a":1}' });
  const [{ headers } = { headers: new Headers() }] = received;
  expect([headers.get("Authorization"), headers.get("Content-Type")]).toEqual([
    "Bearer dueday_key",
    "application/json",
  ]);
});

test("the injected fetch is used, and called without `this`", async () => {
  const seen: unknown[] = [];
  const { send } = createTransport({
    async fetch(this: unknown, url: string) {
      seen.push(this, url);
      return Response.json({});
    },
  });
  await send({ url: "http://nowhere.invalid/", method: "GET" });
  expect(seen).toEqual([undefined, "http://nowhere.invalid/"]);
});
