import { afterAll, describe, expect, test } from "bun:test";
import type { Operation } from "@dueday/api/operation/defineOperation";
import { operations } from "@dueday/api/operations/operations";
import { withdrawPermit } from "@dueday/api/operations/permits/withdrawPermit";
import { getStatus } from "@dueday/api/operations/service/getStatus";
import { comparable } from "@dueday/api/test/comparable";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { restDefaults } from "@dueday/api/test/restDefaults";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { writeTestSnapshots } from "@dueday/api/test/writeTestSnapshots";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { planId } from "@dueday/devnet/demoArguments";
import { createDueday, type Dueday, DuedayError, type Fetch } from "@dueday/sdk";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { parse } from "csv-parse/sync";
import { camelCase } from "../tools/routesOfOperations";
import { csvOperations } from "./http/operationRoutes";

const CHAIN_ID = 31337;
const NOW_MS = 1_790_000_000_000;
const { api, devnet, database, argumentsOf, developer, keepAgain, stop } = await startDemoApi();
const statuses: number[] = [];
const recordingFetch: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  statuses.push(response.status);
  return response;
};
const apiKey = developer.Authorization.replace("Bearer ", "");
const dueday = createDueday({ baseUrl: api.url, chainId: CHAIN_ID, apiKey, fetch: recordingFetch });
const id = planId(devnet);
const mcp = await connectMcp(api, { headers: developer });

afterAll(async () => {
  await mcp.close();
  await stop();
});

type Answer = Record<string, unknown>;
// By name: the test walks the list, so the types of single operations are not known.
const methods = dueday as unknown as Record<string, (input: object) => Promise<Answer>>;

const alone: readonly string[] = [getStatus.name, withdrawPermit.name];
const offered = operations.filter(({ name, toolsets }: Operation) => toolsets?.length !== 0 && !alone.includes(name));
// At the same time: some answers take ten seconds, because a subscription that the index does not have is waited for.
test.concurrent.each(offered.map((operation) => [camelCase(operation.name), operation] as const))(
  "%s gives the result or the error that an agent gets over MCP",
  async (method, operation: Operation) => {
    const compare = async (given: object) => {
      const input = { ...restDefaults(operation), ...given };
      const [{ isError, body }, own] = await Promise.all([
        mcp.call(operation.name, { ...input }),
        methods[method]?.(input).then(comparable, ({ code, issues, revert }: DuedayError) => ({
          code,
          issues,
          revert,
        })),
      ]);
      if (!isError) expect(own).toEqual(comparable(body));
      else expect(own).toEqual({ code: body.code, issues: body.issues ?? [], revert: body.revert ?? null });
    };
    await Promise.all([{ ...operation.example, ...argumentsOf(operation) }, operation.example].map(compare));
  },
);

// Not at the same time as the others: it leaves out the index where the database answers too slowly.
test("getStatus gives the result that an agent gets over MCP", async () => {
  await waitUntil("both answers to be of the same state", async () => {
    const [{ body }, own] = await Promise.all([mcp.call("get_status", { detail: "full" }), dueday.getStatus()]);
    return own.checks.chains[0]?.eventIndex !== undefined && Bun.deepEquals(comparable(own), comparable(body));
  });
});

// Not at the same time as the others: it ends the permit that they submit and list.
test("withdrawPermit gives the result and the error that an agent gets over MCP", async () => {
  const input = argumentsOf(withdrawPermit);
  const { body } = await mcp.call("withdraw_permit", input);
  await keepAgain();
  expect(await methods.withdrawPermit?.(input)).toEqual(body);
  const again = await mcp.call("withdraw_permit", input);
  expect([again.isError, again.body.code]).toEqual([true, "NOT_FOUND"]);
  await expect(methods.withdrawPermit?.(input)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a client can have all of its chain's answers be no older than a block, and a call its own", async () => {
  const asked: string[] = [];
  const fetchAndList: Fetch = (url, init) => {
    asked.push(new URL(String(url)).searchParams.get("minBlock") ?? "none");
    return fetch(url, init);
  };
  let minBlock: bigint | undefined;
  const own = createDueday({ baseUrl: api.url, fetch: fetchAndList, minBlock: () => minBlock });
  await own.getSubscription({ id });
  minBlock = 2n;
  await own.getSubscription({ id });
  await own.getSubscription({ id }, { minBlock: 3 });
  await own.getCatalog();
  expect(asked).toEqual(["none", "2", "3", "none"]);
});

describe("a list as CSV", () => {
  // By name, as above; each is the list of its operation's answer.
  const files = dueday.csv as unknown as Record<string, (input: object) => Promise<string>>;

  test.each(csvOperations)("csv.%s has the entries and the columns of the JSON answer, on one page", async (name) => {
    const operation = operations.find((each: Operation) => camelCase(each.name) === name);
    if (operation?.csvRows === undefined) throw new Error(`${name} has no list for a file`);
    const input = { ...operation.example, ...argumentsOf(operation), first: undefined };
    const answer = await methods[name]?.({ ...input, ...("first" in operation.input.properties && { first: 200 }) });
    const entries: Answer[] = Object(answer)[operation.csvRows];
    expect(entries.length).toBeGreaterThan(0);
    const text = (value: unknown) =>
      value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const rows: object[] = parse((await files[name]?.(input)) ?? "", { columns: true });
    // A field that an entry lacks, or that is null, is an empty cell.
    const blank = Object.fromEntries(Object.keys(rows[0] ?? {}).map((column) => [column, ""]));
    const cells = (entry: Answer) =>
      Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, text(value)]));
    expect(rows).toEqual(entries.map((entry) => ({ ...blank, ...cells(entry) })));
  });

  test("that the service refuses rejects with its issues, and what is not a file with INVALID_ANSWER", async () => {
    await expect(dueday.csv.getSubscriptionHistory({ id: "0x12" })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      issues: [{ path: "id" }],
    });
    const older = createDueday({ baseUrl: "http://service.invalid", fetch: async () => Response.json({ events: [] }) });
    await expect(older.csv.getSubscriptionHistory({ id })).rejects.toMatchObject({ code: "INVALID_ANSWER" });
  });
});

describe("a call", () => {
  test("names the chain of the client, or the one of its own options", async () => {
    expect((await dueday.getProtocolState()).chainId).toBe(CHAIN_ID);
    const other = dueday.getProtocolState({}, { chainId: 1 });
    await expect(other).rejects.toMatchObject({ code: "VALIDATION_ERROR", status: 400 });
  });

  test("that the service refuses rejects with its issues and the id of the request", async () => {
    const error: unknown = await dueday.getSubscription({ id: "0x12" }).catch((reason) => reason);
    if (!DuedayError.is(error, "VALIDATION_ERROR")) throw error;
    expect(error.issues).toMatchObject([{ path: "id" }]);
    const [line] = api.requestLog().filter(({ requestId }) => requestId === error.requestId);
    expect(line).toMatchObject({ status: 400 });
  });

  test("of a polled read that has not changed costs a 304, and the caller's copy is its own", async () => {
    const client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
    const { contract, tokens } = devnet;
    await writeTestSnapshots({ database: database.database, client, contract, tokens, computedAt: new Date(NOW_MS) });
    await waitUntil("a snapshot served", async () => (await dueday.getRemitReadiness()).asOf.source === "snapshot");
    const first = await dueday.getRemitReadiness();
    const days = first.days.splice(0);
    statuses.length = 0;
    const second = await dueday.getRemitReadiness();
    expect(statuses).toEqual([304]);
    expect(second.days).toEqual(days);
    expect(days.length).toBeGreaterThan(0);
  });
});

test("a confirmed answer carries the block that the 304 names", async () => {
  const [hash, other, tag] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`, 'W/"tag.0"'];
  const asOf = {
    blockNumber: "7",
    blockHash: hash,
    blockTimestamp: 70,
    timestampMs: 70_200,
    computedAt: "then",
    source: "snapshot",
    stale: false,
  };
  const { timestampMs: _, ...withoutMs } = asOf;
  const sent: (string | null)[] = [];
  const client: Dueday = createDueday({
    baseUrl: "http://service.invalid/api/",
    async fetch(url, { headers }) {
      sent.push(url, new Headers(headers).get("If-None-Match"));
      if (sent.length === 2) return Response.json({ chainId: 1, ready: true, asOf }, { headers: { ETag: tag } });
      return new Response(null, { status: 304, headers: { "X-As-Of": `9;${other};90;1` } });
    },
  });
  await client.getRemitReadiness();
  expect(Object(await client.getRemitReadiness())).toEqual({
    chainId: 1,
    ready: true,
    asOf: { ...withoutMs, blockNumber: "9", blockHash: other, blockTimestamp: 90, stale: true },
  });
  const url = "http://service.invalid/api/remit/readiness";
  expect(sent).toEqual([url, null, url, tag]);
});
