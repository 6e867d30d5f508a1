import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { type RpcMood, startFaultyRpc } from "@dueday/api/test/startFaultyRpc";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: missedPayments, now: 1_790_000_000 });
afterAll(() => devnet.stop());

async function startOn(mood: RpcMood) {
  const rpc = startFaultyRpc(devnet.url, mood);
  const api = await startTestApi({ database, rpcUrl: rpc.url, contract: devnet.contract });
  return {
    rpc,
    api,
    async [Symbol.asyncDispose]() {
      await api.stop();
      rpc.stop();
    },
  };
}

const call = (api: TestApi, path: string) =>
  path.startsWith("/prepare")
    ? callApi(api, path, { method: "POST", body: { from: devnet.keeper.address } })
    : callApi(api, path);

async function rpcCheck(api: TestApi): Promise<unknown> {
  const { body } = await callApi(api, "/status");
  return Reflect.get(Reflect.get(Reflect.get(body, "checks") ?? {}, "chains")?.[0] ?? {}, "rpc");
}

async function untilRpc(api: TestApi, status: "ok" | "down"): Promise<void> {
  await waitUntil(`rpc ${status}`, async () => Reflect.get(Object(await rpcCheck(api)), "status") === status);
}

const faults: { mood: Exclude<RpcMood, "well">; reason: RegExp; polled: string; live: [number, string] }[] = [
  {
    mood: "down",
    reason: /refused the request|can't be reached/,
    polled: "NOT_INDEXED",
    live: [502, "UPSTREAM_ERROR"],
  },
  { mood: "wrong_chain", reason: /another chain/, polled: "NOT_INDEXED", live: [503, "UPSTREAM_UNAVAILABLE"] },
  { mood: "no_contract", reason: /no contract/, polled: "NOT_INDEXED", live: [503, "UPSTREAM_UNAVAILABLE"] },
];

describe.each(faults)("a chain whose node is $mood at the start", ({ mood, reason, polled, live: [status, code] }) => {
  test("does not keep the API from serving, is reported in /status, and answers as documented until it recovers", async () => {
    await using started = await startOn(mood);
    const { api, rpc } = started;
    await untilRpc(api, "down");
    expect(await rpcCheck(api)).toEqual({ status: "down", reason: expect.stringMatching(reason) });
    expect((await callApi(api, "/catalog")).status).toBe(200);

    const read = await call(api, "/protocol/state");
    expect([read.status, read.body.code]).toEqual([503, polled]);
    expect(Number(read.headers.get("retry-after"))).toBeGreaterThan(0);
    const prepared = await call(api, "/prepare/remit");
    expect([prepared.status, prepared.body.code]).toEqual([status, code]);

    const ids = [read, prepared].map(({ body }) => body.requestId);
    await waitUntil("the log", () => ids.every((id) => api.requestLog().some((line) => line.requestId === id)));
    for (const id of ids) expect(api.requestLog().filter((line) => line.requestId === id)).toHaveLength(1);
    expect(api.logText() + read.text + prepared.text).not.toContain(rpc.secret);

    rpc.mood = "well";
    await untilRpc(api, "ok");
    expect((await call(api, "/protocol/state")).status).toBe(200);
  });
});

test("a node that goes down later is reported, and is used again by itself", async () => {
  await using started = await startOn("well");
  const { api, rpc } = started;
  await untilRpc(api, "ok");
  expect((await call(api, "/prepare/remit")).status).toBe(200);
  rpc.mood = "down";
  await untilRpc(api, "down");
  const refused = await call(api, "/prepare/remit");
  expect([refused.status, refused.body.code]).toEqual([502, "UPSTREAM_ERROR"]);
  expect(api.logText() + refused.text).not.toContain(rpc.secret);
  rpc.mood = "well";
  await untilRpc(api, "ok");
  expect((await call(api, "/prepare/remit")).status).toBe(200);
});

test("/status is 503 only while no chain can be served at all", async () => {
  await using started = await startOn("down");
  await untilRpc(started.api, "down");
  const { status, body } = await callApi(started.api, "/status");
  expect([status, body.status]).toEqual([503, "down"]);
});
