import { afterEach, expect, test } from "bun:test";
import { testPlan } from "@dueday/keeper/test/testPlan";
import { getAddress } from "viem";
import { apiPlanSource } from "./planSource";

const from = getAddress(`0x${"11".repeat(20)}`);
const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

function sourceAgainst(...answers: ((request: Request) => Response)[]) {
  const requests: { url: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      // Bun empties a request after its answer.
      requests.push({ url: request.url, headers: new Headers(request.headers) });
      return answers.shift()?.(request) ?? new Response(null, { status: 500 });
    },
  });
  servers.push(server);
  const url = `http://127.0.0.1:${server.port}`;
  return { source: apiPlanSource({ url, apiKey: "dueday_key", chainId: 31337, from }), requests };
}

const asOf = {
  blockNumber: "7",
  blockHash: "0x1",
  blockTimestamp: 1,
  computedAt: "",
  source: "snapshot",
  stale: false,
};
const good =
  (change: object = {}) =>
  () =>
    Response.json({ ...testPlan({ from }), chainId: 31337, asOf, ...change }, { headers: { ETag: 'W/"7"' } });

test("an unchanged plan is requested with its tag and the key, and 304 keeps it for the block that it names", async () => {
  const unchanged = () => new Response(null, { status: 304, headers: { "X-As-Of": "8;0x2;2;1" } });
  const { source, requests } = sourceAgainst(good(), unchanged);
  expect(await source.poll(null)).toMatchObject({ blockNumber: 7n, stale: false });
  expect(await source.poll(null)).toMatchObject({ blockNumber: 8n, stale: true });
  expect(requests.map(({ headers }) => headers.get("If-None-Match"))).toEqual([null, 'W/"7"']);
  expect(requests[0]?.headers.get("Authorization")).toBe("Bearer dueday_key");
});

test("the plan for the keeper names it, and is not older than its last block", async () => {
  const { source, requests } = sourceAgainst(good());
  await source.read(9n);
  const { searchParams } = new URL(requests[0]?.url ?? "");
  expect(Object.fromEntries(searchParams)).toEqual({ from, chainId: "31337", minBlock: "9" });
});

test("a refusal has the time that the API asks for", async () => {
  const limited = () =>
    Response.json(
      { error: "slow down\u001b[2J", code: "RATE_LIMITED" },
      { status: 429, headers: { "Retry-After": "17" } },
    );
  const { source } = sourceAgainst(limited);
  const error: unknown = await source.poll(null).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    exitCode: 5,
    retryAfterMs: 17_000,
    message: expect.stringContaining("(429): slow down"),
  });
  expect(String(error)).not.toContain("\u001b");
});

test.each([
  ["another chain", good({ chainId: 1 })],
  ["another caller", good({ from: `0x${"22".repeat(20)}` })],
  ["another form", good({ plan: { transactions: "none" } })],
  ["no block", good({ asOf: null })],
  ["a negative block", good({ asOf: { ...asOf, blockNumber: "-1" } })],
  ["HTML", () => new Response("<html>")],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302)],
  ["ten megabytes", () => new Response(`{"a":"${"x".repeat(10_000_000)}"}`)],
  ["an error", () => new Response(null, { status: 502 })],
])("an answer with %s is no plan, and ends with exit code 5", async (_, answer) => {
  const { source } = sourceAgainst(answer);
  const error: unknown = await source.read(null).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "KeeperError", exitCode: 5 });
});
