import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { callApi } from "@dueday/api/test/callApi";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId } from "@dueday/devnet/demoArguments";
import { fund } from "@dueday/devnet/scenarios/actions";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { getAddress } from "viem";
import { type Statement, statements } from "./statements";

const ROOT = join(import.meta.dir, "../..");
const { api, devnet, argumentsOf, stop } = await startDemoApi();
const mcp = await connectMcp(api);
afterAll(async () => {
  await mcp.close();
  await stop();
});

type Fields = Record<string, unknown>;
const given = argumentsOf({
  name: "prepare_unsubscribe_by_provider",
  input: { properties: { from: {}, subscription: { type: "object" }, subscriber: {}, token: {} } },
});
const id = planId(devnet);
const { subscriber, token } = given;
const provider = String(given.from);
/** It holds the token and has approved nothing. */
const joiner = testAccount(ACCOUNT_INDEX.firstSubscriber + 60).address;
const admin = testAccount(ACCOUNT_INDEX.admin).address;
await fund(
  { client: devnet.client, contract: devnet.contract, admin },
  getAddress(String(token)),
  joiner,
  10n ** 24n,
  0n,
);
const { txHash } = argumentsOf({ name: "get_transaction_status", input: { properties: { txHash: {} } } });

const post = (path: string, body: Fields) => callApi(api, path, { method: "POST", body });
/** The first entry of a list in an answer. */
const first = (list: unknown): Fields => Object(Object(list)[0]);

describe("the table of statements", () => {
  const all: Statement[] = Object.values(statements).flat();

  test("has every section of the interface, and each statement once in its section", () => {
    expect(Object.keys(statements)).toEqual([
      "What the service does",
      "Subscribe workflow",
      "Remit workflow",
      "Resources",
      "Prepare response",
      "States",
      "Endpoints, general rules",
      "Read endpoints",
      "Write endpoints",
      "Catalog response",
      "Authentication",
      "Events",
      "Errors",
      "Limits",
      "Versioning",
    ]);
    for (const section of Object.values(statements))
      expect(new Set(section.map(({ says }) => says)).size).toBe(section.length);
    expect(all.length).toBeGreaterThanOrEqual(95);
  });

  test("has a test that exists, or a reason, for each", async () => {
    const missing: string[] = [];
    for (const { says, by } of all) {
      if ("reason" in by) {
        if (by.reason.length < 20) missing.push(`${says}: the reason says too little`);
        continue;
      }
      const source = await Bun.file(join(ROOT, by.file)).text();
      if (by.title === "" || !source.includes(by.title)) missing.push(`${says}: ${by.file} has no "${by.title}"`);
    }
    expect(missing).toEqual([]);
  });

  test("names every test of this file", async () => {
    const source = await Bun.file(import.meta.path).text();
    const titles = [...source.matchAll(/^test\("([^"]+)"/gm)].map(([, title = ""]) => title);
    const named = all.flatMap(({ by }) =>
      "file" in by && by.file === "test/interface/interface.test.ts" ? by.title : [],
    );
    expect(titles.filter((title) => !named.some((start) => title.startsWith(start)))).toEqual([]);
  });
});

/** Each read with the fields that the interface names; a path inside an answer enters the first entry of a list. */
const reads: readonly (readonly [path: string, ...fields: string[]])[] = [
  ["/catalog", "version", "chains", "routes"],
  ["/protocol/state", "callerFee", "systemFee"],
  ["/status", "status"],
  ["/subscriptions", "subscriptions.id", "subscriptions.cancelled"],
  ["/subscriptions/due", "results.frequency"],
  [`/subscriptions/${id}`, "subscription.amount", "subscription.token", "subscription.provider"],
  [`/subscriptions/${id}/subscribers`, "subscribers.subscriber", "subscribers.feeBalance"],
  [`/subscriptions/${id}/fee-balance?address=${subscriber}`, "feeBalance"],
  [`/subscriptions/${id}/details`, "details.url", "details.description"],
  [`/accounts/${provider}/subscriptions`, "subscriptions.subscription.id"],
  [`/accounts/${subscriber}/subscriptions?bySubscriber=true`, "bySubscriber", "subscriptions.subscription.id"],
  [`/accounts/${subscriber}`, "subscribedTo.feeBalance", "created"],
  ["/approved-tokens", "tokens"],
  [`/approved-tokens/${token}`, "token.minimum", "token.paused"],
  [
    `/subscriptions/${id}/history`,
    ...["eventName", "amount", "amountRaw", "tokenDecimals", "formattedTimestamp", "formattedAmount"].map(
      (field) => `events.${field}`,
    ),
  ],
  [`/accounts/${subscriber}/activity`, "events.eventName"],
  [`/providers/${provider}`, "latestProfile"],
  [`/subscriptions/${id}/details-history`, "entries.url", "entries.description"],
];

test("every read returns what the interface names", async () => {
  for (const [path, ...fields] of reads) {
    const { status, body } = await callApi(api, path);
    expect([path, status]).toEqual([path, 200]);
    for (const field of fields) {
      const value = field
        .split(".")
        .reduce<unknown>((part, name) => Object(Array.isArray(part) ? part[0] : part)[name], body);
      expect([path, field, value]).not.toEqual([path, field, undefined]);
    }
  }
});

test("reads are GET and writes are POST, and neither accepts the other's method or another type of body", async () => {
  for (const [path] of reads) {
    const { status } = await callApi(api, path, { method: "POST", body: {} });
    expect([path, status]).toEqual([path, 405]);
  }
  for (const path of ["/prepare/remit", "/check_remit_readiness", "/transactions/status"]) {
    expect((await callApi(api, path)).status).toBe(405);
    const text = await fetch(`${api.url}${path}`, {
      method: "POST",
      body: "from=1",
      headers: { "Content-Type": "text/plain" },
    });
    expect([path, text.status]).toEqual([path, 415]);
  }
  expect((await post("/transactions/status", { txHash })).status).toBe(200);
});

const plan = { amount: "15", token, details: { url: "", description: "" }, frequency: 2, dueDay: 1 };

test("a subscription without texts is prepared", async () => {
  const { status, body } = await post("/prepare/create_subscription", { from: provider, ...plan });
  expect([status, body.summary]).toEqual([200, expect.stringContaining("QUARTERLY subscription of 15 ")]);
});

test("each field of a new subscription is required", async () => {
  const whole: Fields = { from: provider, ...plan };
  for (const field of Object.keys(whole)) {
    const { [field]: _, ...rest } = whole;
    const { status, body } = await post("/prepare/create_subscription", rest);
    expect([field, status, first(body.issues).path]).toEqual([field, 400, field]);
  }
  const { url: _, ...details } = plan.details;
  const { body } = await post("/prepare/create_subscription", { ...whole, details });
  expect(first(body.issues).path).toBe("details.url");
});

test("a prepare has the fields of the interface", async () => {
  const { body } = await post("/prepare/subscribe_by_id", { from: joiner, id });
  const fields = [
    "requestId",
    "instructions",
    "warnings",
    "unsignedTransactions",
    "signingMode",
    "eip5792",
    "simulation",
    "chainId",
    "gasEstimates",
    "gasSummary",
    "preflight",
  ];
  expect(Object.keys(body)).toEqual(expect.arrayContaining(fields));
  expect(body.requestId).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  const steps = (body.instructions as { step: number }[]).map(({ step }) => step); // by the API's schema
  expect(steps).toEqual(steps.map((_, index) => index + 1));
});

test("a batch has eip5792 over REST and MCP, and a single transaction has none", async () => {
  const { body: rest } = await post("/prepare/subscribe_by_id", { from: joiner, id });
  const { body: agent } = await mcp.call("prepare_subscribe_by_id", { from: joiner, id });
  for (const { signingMode, eip5792, unsignedTransactions } of [rest, agent]) {
    expect(signingMode).toBe("eip5792");
    expect(Object(eip5792).calls).toHaveLength(Object(unsignedTransactions).length);
  }
  expect(agent.eip5792).toEqual(rest.eip5792);
  const { body: single } = await post("/prepare/cancel_subscription_by_id", { from: provider, id });
  expect([single.signingMode, single.eip5792]).toEqual(["raw", undefined]);
});

test("no answer of a prepare is signed: its transactions are for the wallet in from, on the chain that they name", async () => {
  for (const [path, body] of [
    ["subscribe_by_id", { from: joiner, id }],
    ["cancel_subscription_by_id", { from: provider, id }],
    ["remit", { from: devnet.keeper.address }],
  ] as const) {
    const answer = await post(`/prepare/${path}`, body);
    const transactions = answer.body.unsignedTransactions as Fields[]; // by the API's schema
    for (const transaction of transactions) {
      expect(Object.keys(transaction).toSorted()).toEqual(["chainId", "data", "from", "to", "value"]);
      expect([path, transaction.from, transaction.chainId]).toEqual([path, body.from, answer.body.chainId]);
    }
  }
});

test("infiniteApproval is refused where nothing is approved", async () => {
  const { status, body } = await post("/prepare/unsubscribe_by_id", { from: subscriber, id, infiniteApproval: true });
  expect([status, first(body.issues)]).toMatchObject([400, { code: "UNKNOWN_KEY", path: "infiniteApproval" }]);
});

test("the catalog has its fields, every chain and every path with its prefix", async () => {
  const { body } = await callApi(api, "/catalog");
  expect(Object.keys(body)).toEqual(
    expect.arrayContaining([
      "version",
      "chainId",
      "chains",
      "pathNote",
      "access",
      "apiEnabled",
      "developerKeysEnabled",
      "routes",
    ]),
  );
  expect(body.version).toBe("3");
  expect(Object.keys(first(body.chains))).toEqual(["chainId", "caip2", "name", "rest", "mcp", "default"]);
  for (const { method, path, description } of body.routes as Record<string, string>[]) // by the API's schema
    expect([method, path, description]).toEqual([
      expect.stringMatching(/^[A-Z]+$/),
      expect.stringMatching(/^\/api/),
      expect.any(String),
    ]);
});
