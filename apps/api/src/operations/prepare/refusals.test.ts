import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { deployToken } from "@dueday/devnet/deployToken";
import { onlyId } from "@dueday/devnet/onlyId";
import {
  approveToken,
  cancelSubscription,
  createSubscription,
  fund,
  pauseToken,
  subscribe,
} from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { encodeFunctionData, type Hex, parseEther, parseUnits, zeroAddress } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;
const UNKNOWN_ID = `0x${"77".repeat(32)}`;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const token = await protocol.token("HUSD", 6);
const paused = await protocol.token("LGC", 6);
const provider = protocol.person(0).address;
const payer = protocol.person(1).address;
const poor = protocol.person(2).address;
const stranger = protocol.person(3).address;
let api: TestApi;

const create = (used = token, dueDay = 5) =>
  createSubscription(protocol, provider, {
    amount: parseEther("12.5"),
    token: used,
    details: { url: "", description: "" },
    frequency: 1,
    dueDay,
  });

async function joined(account: Hex, used = token): Promise<Hex> {
  const id = await create(used);
  await fund(protocol, used, account, parseUnits("1000", 6), parseUnits("1000", 6));
  await subscribe(protocol, account, id);
  return id;
}

async function left(account: Hex): Promise<Hex> {
  const id = await joined(account);
  await send(protocol.client, { from: account, to: protocol.contract, data: encodeUnsubscribe(onlyId(id)) });
  return id;
}

async function cancelled(): Promise<Hex> {
  const id = await joined(payer);
  await cancelSubscription(protocol, provider, id);
  return id;
}

/** The next remit would continue in the middle of this day. */
async function checkpointed(): Promise<Hex> {
  const id = await create();
  const start = { id, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 1n, initialized: true };
  const data = encodeFunctionData({ abi: adminAbi, functionName: "setPageStart", args: [start] });
  await send(protocol.client, { from: protocol.admin, to: protocol.contract, data });
  return id;
}

beforeAll(async () => {
  api = await startTestApi({ database, rpcUrl: protocol.url, contract: protocol.contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

const onPaused = await joined(payer, paused);
await pauseToken(protocol, paused);

const post = (path: string, body: Record<string, unknown>) => callApi(api, path, { method: "POST", body });

type Refused = {
  path: string;
  body: () => Promise<Record<string, unknown>>;
  /** Of the issue. */
  code: string;
  /** The protocol's number; absent where the chain would not refuse. */
  revert?: string;
  /** Where it is not the code of the issue. */
  revertName?: string;
};

const byRule: (Refused & { what: string })[] = [
  {
    what: "0: the provider subscribes",
    path: "subscribe_by_id",
    body: async () => {
      await fund(protocol, token, provider, parseUnits("1000", 6), 0n);
      return { from: provider, id: await create() };
    },
    code: "SUBSCRIBER_IS_PROVIDER",
    revert: "0",
  },
  {
    what: "3: unsubscribe twice",
    path: "unsubscribe_by_id",
    body: async () => ({ from: payer, id: await left(payer) }),
    code: "UNKNOWN_OR_UNSUBSCRIBED",
    revert: "3",
  },
  {
    what: "3: remove who has left",
    path: "unsubscribe_by_provider_by_id",
    body: async () => ({ from: provider, id: await left(payer), subscriber: payer }),
    code: "UNKNOWN_OR_UNSUBSCRIBED",
    revert: "3",
  },
  {
    what: "6: nothing to remit",
    path: "remit",
    body: async () => ({ from: payer }),
    code: "NOTHING_DUE",
    revert: "6",
    revertName: "NOTHING_TO_REMIT",
  },
  {
    what: "8: remove by another than the provider",
    path: "unsubscribe_by_provider_by_id",
    body: async () => ({ from: stranger, id: await joined(payer), subscriber: payer }),
    code: "NOT_THE_PROVIDER",
    revert: "8",
  },
  {
    what: "9: remove who never was in",
    path: "unsubscribe_by_provider_by_id",
    body: async () => ({ from: provider, id: await joined(payer), subscriber: stranger }),
    code: "NOT_SUBSCRIBED",
    revert: "9",
  },
  {
    what: "10: too low a balance",
    path: "subscribe_by_id",
    body: async () => {
      await fund(protocol, token, poor, parseUnits("12.499999", 6), parseUnits("1000", 6));
      return { from: poor, id: await create() };
    },
    code: "INSUFFICIENT_ALLOWANCE_OR_BALANCE",
    revert: "10",
  },
  {
    what: "13: cancel by another than the provider",
    path: "cancel_subscription_by_id",
    body: async () => ({ from: payer, id: await create() }),
    code: "ONLY_PROVIDER_MAY_CANCEL",
    revert: "13",
  },
  {
    what: "20: subscribe with a paused token",
    path: "subscribe_by_id",
    body: async () => {
      await fund(protocol, paused, stranger, parseUnits("1000", 6), 0n);
      return { from: stranger, id: onPaused };
    },
    code: "TOKEN_PAUSED",
    revert: "20",
  },
  {
    what: "23: subscribe to a cancelled one",
    path: "subscribe_by_id",
    body: async () => {
      await fund(protocol, token, stranger, parseUnits("1000", 6), 0n);
      return { from: stranger, id: await cancelled() };
    },
    code: "CANCELLED",
    revert: "23",
  },
  {
    what: "23: cancel twice",
    path: "cancel_subscription_by_id",
    body: async () => ({ from: provider, id: await cancelled() }),
    code: "CANCELLED",
    revert: "23",
  },
  {
    what: "25: subscribe twice",
    path: "subscribe_by_id",
    body: async () => ({ from: payer, id: await joined(payer) }),
    code: "ALREADY_SUBSCRIBED",
    revert: "25",
  },
  {
    what: "unsubscribe by a stranger, which the chain would accept",
    path: "unsubscribe_by_id",
    body: async () => ({ from: stranger, id: await joined(payer) }),
    code: "NOT_SUBSCRIBED",
  },
  {
    what: "edit_details by a stranger, which the chain would accept",
    path: "edit_details",
    body: async () => ({ from: stranger, id: await create(), details: { url: "", description: "mine now" } }),
    code: "NOT_THE_PROVIDER",
  },
];

const onlyByTheChain: (Refused & { what: string })[] = [
  {
    what: "24: subscribe while the id is the page checkpoint",
    path: "subscribe_by_id",
    body: async () => {
      await fund(protocol, token, stranger, parseUnits("1000", 6), 0n);
      return { from: stranger, id: await checkpointed() };
    },
    code: "PAGE_CHECKPOINT",
    revert: "24",
  },
];

describe.each([
  { status: 409, error: "NOT_READY", cases: byRule },
  { status: 422, error: "SIMULATION_FAILED", cases: onlyByTheChain },
])("$status $error", ({ status, error, cases }) => {
  test.each(cases)("$what", async ({ path, body, code, revert, revertName }) => {
    const request = await body();
    const refused = await post(`/prepare/${path}`, request);
    expect(refused.body).not.toHaveProperty("unsignedTransactions");
    expect([refused.status, refused.body.code, refused.body.issues]).toEqual([
      status,
      error,
      [{ code, message: expect.any(String) }],
    ]);
    expect(refused.body.revert).toEqual(
      revert === undefined ? undefined : expect.objectContaining({ code: revert, name: revertName ?? code }),
    );
    const judged = await post(`/prepare/${path}`, { ...request, readinessOnly: true });
    expect([judged.status, judged.body.ready]).toEqual([200, false]);
    expect(judged.body.issues).toMatchObject([{ code }]);
    expect(judged.body).not.toHaveProperty("unsignedTransactions");
  });
});

test("readiness of the object form simulates, the one by id applies the rules alone", async () => {
  await fund(protocol, token, stranger, parseUnits("1000", 6), 0n);
  const id = await checkpointed();
  const byId = await post("/check_subscribe_readiness_by_id", { from: stranger, id });
  expect(byId.body).toMatchObject({ ready: true, issues: [] });
  const object = await post("/check_subscribe_readiness", { from: stranger, subscription: { id } });
  expect(object.body).toMatchObject({ ready: false, issues: [{ code: "PAGE_CHECKPOINT" }] });
});

test("all refused rules are issues: those of the protocol in the order in which it checks them, then a missing balance", async () => {
  const id = await cancelled();
  await fund(protocol, token, payer, 0n, 0n);
  const { status, body } = await post("/prepare/subscribe_by_id", { from: payer, id });
  expect(status).toBe(409);
  expect(body.issues).toMatchObject([
    { code: "ALREADY_SUBSCRIBED" },
    { code: "CANCELLED" },
    { code: "INSUFFICIENT_ALLOWANCE_OR_BALANCE" },
  ]);
});

describe("404 NOT_FOUND for an id that the chain does not know", () => {
  test.each([
    ["/prepare/subscribe_by_id", { id: UNKNOWN_ID }],
    ["/prepare/subscribe", { subscription: { id: UNKNOWN_ID } }],
    ["/prepare/cancel_subscription_by_id", { id: UNKNOWN_ID }],
    ["/prepare/cancel_subscription", { subscription: { id: UNKNOWN_ID } }],
    ["/prepare/unsubscribe_by_id", { id: UNKNOWN_ID }],
    ["/prepare/unsubscribe", { subscription: { id: UNKNOWN_ID } }],
    ["/prepare/unsubscribe_by_provider_by_id", { id: UNKNOWN_ID, subscriber: payer }],
    ["/prepare/unsubscribe_by_provider", { subscription: { id: UNKNOWN_ID }, subscriber: payer }],
    ["/prepare/edit_details", { id: UNKNOWN_ID, details: { url: "", description: "" } }],
    ["/check_subscribe_readiness_by_id", { id: UNKNOWN_ID }],
    ["/check_subscribe_readiness", { subscription: { id: UNKNOWN_ID } }],
  ])("%s", async (path, body) => {
    const readinessOnly = path.startsWith("/prepare/") ? { readinessOnly: true } : {};
    for (const extra of [{}, readinessOnly]) {
      const answer = await post(path, { from: payer, ...body, ...extra });
      expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });
});

describe("400 VALIDATION_ERROR with the field, on create", () => {
  const good = () => ({
    from: provider,
    amount: "12.5",
    token,
    details: { url: "https://harbor.example", description: "" },
    frequency: 1,
    dueDay: 5,
  });

  test.each([
    ["4: the zero token", { token: zeroAddress }, "token", "ZERO_TOKEN"],
    ["5: a token that is not approved", { token: stranger }, "token", "TOKEN_NOT_APPROVED"],
    ["20: a paused token", { token: paused }, "token", "TOKEN_PAUSED"],
    ["14: weekly", { frequency: 0, dueDay: 8 }, "dueDay", "OUT_OF_RANGE"],
    ["15: monthly", { frequency: 1, dueDay: 29 }, "dueDay", "OUT_OF_RANGE"],
    ["16: quarterly", { frequency: 2, dueDay: 91 }, "dueDay", "OUT_OF_RANGE"],
    ["17: yearly", { frequency: 3, dueDay: 366 }, "dueDay", "OUT_OF_RANGE"],
    ["dueDay 0", { dueDay: 0 }, "dueDay", "OUT_OF_RANGE"],
    ["a frequency above 3", { frequency: 4 }, "frequency", "OUT_OF_RANGE"],
    ["18: below the minimum", { amount: "0.999999" }, "amount", "BELOW_MINIMUM"],
    ["finer than the token", { amount: "12.5000001" }, "amount", "TOO_FINE"],
    ["nothing", { amount: "0" }, "amount", "OUT_OF_RANGE"],
    ["no number", { amount: "1e3" }, "amount", "MALFORMED"],
    ["more than the protocol can hold", { amount: "9".repeat(90) }, "amount", "TOO_LARGE"],
    [
      "a url that runs code",
      { details: { url: " JavaScript:alert(1)", description: "" } },
      "details.url",
      "NOT_ALLOWED",
    ],
    ["a control character", { details: { url: "java\tscript:x", description: "" } }, "details.url", "NOT_ALLOWED"],
    ["a long url", { details: { url: "é".repeat(1025), description: "" } }, "details.url", "WRONG_LENGTH"],
    ["a long text", { details: { url: "", description: "é".repeat(2049) } }, "details.description", "WRONG_LENGTH"],
    ["no description", { details: { url: "" } }, "details.description", "REQUIRED"],
    ["chainId in the body", { chainId: 31337 }, "chainId", "MISPLACED"],
  ])("%s", async (_, change, path, code) => {
    const { status, body } = await post("/prepare/create_subscription", { ...good(), ...change });
    expect(body).not.toHaveProperty("unsignedTransactions");
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body.issues).toContainEqual({ code, path, message: expect.any(String) });
    const judged = await post("/prepare/create_subscription", { ...good(), ...change, readinessOnly: true });
    expect(judged.status).toBe(400);
  });

  test("all faults at once, and none where there is none", async () => {
    const change = { amount: "0.5", dueDay: 29, details: { url: "data:,x", description: "" } };
    const { body } = await post("/prepare/create_subscription", { ...good(), ...change });
    expect(body.issues).toMatchObject([{ path: "details.url" }, { path: "dueDay" }, { path: "amount" }]);
    expect((await post("/prepare/create_subscription", good())).status).toBe(200);
  });

  test("a url that is not https is accepted with a warning", async () => {
    const details = { url: "http://harbor.example", description: "" };
    const { status, body } = await post("/prepare/create_subscription", { ...good(), details });
    expect(status).toBe(200);
    expect(body.warnings).toMatchObject([{ code: "URL_NOT_HTTPS" }]);
  });

  test("an amount below the minimum by less than the token can express is rejected, not rounded up", async () => {
    const coarse = await deployToken(protocol.client, protocol.admin, { name: "Coarse", symbol: "CRS", decimals: 2 });
    await approveToken(protocol, coarse, 2, parseEther("1.001"));
    const refused = await post("/prepare/create_subscription", { ...good(), token: coarse, amount: "1" });
    expect([refused.status, refused.body.issues]).toMatchObject([400, [{ path: "amount", code: "BELOW_MINIMUM" }]]);
    expect((await post("/prepare/create_subscription", { ...good(), token: coarse, amount: "1.01" })).status).toBe(200);
  });
});

describe("400 VALIDATION_ERROR for an object that differs from the chain", () => {
  test.each(["subscribe", "cancel_subscription", "unsubscribe", "unsubscribe_by_provider"])(
    "%s names each field",
    async (path) => {
      const id = await create();
      const subscriber = path === "unsubscribe_by_provider" ? { subscriber: payer } : {};
      const subscription = {
        id,
        amount: "12.49",
        provider: stranger,
        token: paused,
        cancelled: true,
        frequency: 2,
        dueDay: 6,
      };
      const { status, body } = await post(`/prepare/${path}`, { from: provider, subscription, ...subscriber });
      expect(body).not.toHaveProperty("unsignedTransactions");
      expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(body.issues).toEqual(
        ["amount", "provider", "token", "cancelled", "frequency", "dueDay"].map((field) => ({
          code: "DIFFERS_FROM_CHAIN",
          path: `subscription.${field}`,
          message: expect.stringContaining("on chain"),
        })),
      );
    },
  );

  test("readiness too, and one field alone", async () => {
    const subscription = { id: await create(), dueDay: 4 };
    const { status, body } = await post("/check_subscribe_readiness", { from: payer, subscription });
    expect(status).toBe(400);
    expect(body.issues).toEqual([
      { code: "DIFFERS_FROM_CHAIN", path: "subscription.dueDay", message: "is 5 on chain" },
    ]);
  });
});
