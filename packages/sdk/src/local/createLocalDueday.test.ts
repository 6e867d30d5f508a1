import { afterAll, describe, expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import type { Operation } from "@dueday/api/operation/defineOperation";
import { operations } from "@dueday/api/operations/operations";
import { comparable } from "@dueday/api/test/comparable";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId } from "@dueday/devnet/demoArguments";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday, DuedayError } from "@dueday/sdk";
import { createLocalDueday } from "@dueday/sdk/local";
import { createPublicClient, http, type PublicClient } from "viem";
import { camelCase } from "../../tools/routesOfOperations";

const { api, devnet, argumentsOf, stop } = await startDemoApi();
const { contract, tokens } = devnet;
const client: PublicClient = createPublicClient({ chain: devnetChain, transport: http(devnet.url) });
const local = createLocalDueday({ client, contract });
const remote = createDueday({ baseUrl: api.url });

afterAll(stop);

type Answer = Record<string, unknown>;
type Methods = Record<string, (input: object) => Promise<Answer>>;
// By name: the test walks the list, so the types of single operations are not known.
const [localMethods, remoteMethods] = [local as unknown as Methods, remote as unknown as Methods];
const byMethod = new Map(operations.map((operation: Operation) => [camelCase(operation.name), operation]));

describe("an answer of a node alone is the service's", () => {
  test.each(Object.keys(local))("%s, with real inputs, unknown ones, and only their readiness", async (method) => {
    const operation = byMethod.get(method);
    if (operation === undefined) throw new Error(`${method} is not an operation`);
    const real = { ...operation.example, ...argumentsOf(operation) };
    const readiness = "readinessOnly" in operation.input.properties ? [{ ...real, readinessOnly: true }] : [];
    for (const input of [real, operation.example, ...readiness]) {
      const [here, there] = await Promise.all([
        answerOf(localMethods, method, input),
        answerOf(remoteMethods, method, input),
      ]);
      expect({ input, ...here }).toEqual({ input, ...there });
    }
  });

  test("the tokens that it is given are listed as the service shows each", async () => {
    const listed = await createLocalDueday({ client, contract, tokens }).listApprovedTokens();
    const shown = await Promise.all(tokens.map(async (token) => (await remote.getApprovedToken({ token })).token));
    expect(listed.tokens).toEqual(shown);
    expect(shown.length).toBeGreaterThan(2);
  });

  test("pages are paged alike", async () => {
    const page = { first: 2, skip: 1 };
    const id = planId(devnet);
    expect(comparable(await local.getSubscribers({ id, ...page }))).toEqual(
      comparable(await remote.getSubscribers({ id, ...page })),
    );
    expect(comparable(await local.getRemitPlan(page))).toEqual(comparable(await remote.getRemitPlan(page)));
  });
});

describe("the payments of a filter are the service's", () => {
  const [one, other] = [12, 0].map((index) => testAccount(ACCOUNT_INDEX.firstSubscriber + index).address);
  const accounts = `${one},${other}`;
  const provider = testAccount(ACCOUNT_INDEX.firstProvider).address;
  const filters: [string, { account?: string; provider?: string; subscription?: string }][] = [
    ["one account", { account: `${one}` }],
    ["several accounts, in any case", { account: accounts.toLowerCase() }],
    ["a provider", { provider }],
    ["several plans", { subscription: Object.values(devnet.subscriptions).slice(0, 3).join(",") }],
    ["accounts and a provider", { account: accounts, provider }],
    ["nobody", { account: contract }],
  ];
  test.each(filters)("%s, in the forecast and the lists of days to come", async (_, filter) => {
    const { currentDay, ...forecast } = await remote.getRemitForecast(filter);
    expect(comparable({ ...(await local.getRemitForecast(filter)) })).toEqual(comparable({ currentDay, ...forecast }));
    expect(forecast.selection).toBeDefined();
    const days = forecast.selection?.days.filter(({ payments }) => payments > 0).slice(0, 3) ?? [];
    for (const { dayNumber } of [{ dayNumber: currentDay }, ...days]) {
      const date = new Date(dayNumber * 86_400_000).toISOString().slice(0, 10);
      const [here, there] = await Promise.all([
        answerOf(localMethods, "getSubscriptionsDue", { date, ...filter }),
        answerOf(remoteMethods, "getSubscriptionsDue", { date, ...filter }),
      ]);
      expect({ date, ...here }).toEqual({ date, ...there });
    }
    const payments = forecast.selection?.next30Days.payments ?? 0;
    expect(payments > 0).toBe(filter.account !== contract);
  });
});

async function answerOf(methods: Methods, method: string, input: object): Promise<Answer> {
  const call = methods[method];
  if (call === undefined) throw new Error(`there is no ${method}`);
  return call(input).then(withoutSettled, (error: unknown) => {
    if (!DuedayError.is(error)) throw error;
    const { code, issues, revert } = error;
    return { code, issues, revert };
  });
}

/** What a closed day has charged, and what a plan's provider calls it, only an event index knows. */
function withoutSettled({ settled: _, ...answer }: Answer): Answer {
  const plans = Array.isArray(answer.plans) ? { plans: answer.plans.map(({ name: _name, ...plan }) => plan) } : {};
  return comparable({ ...answer, ...plans });
}

describe("inputs that the service would refuse are refused with its codes", () => {
  const wrong: [string, () => Promise<unknown>, string][] = [
    ["an id", () => local.getSubscription({ id: "0x12" }), "id"],
    ["an address", () => local.getAccount({ address: "0x12" }), "address"],
    ["a page", () => local.getAccount({ address: contract, first: 201 }), "first"],
    ["a date", () => local.getSubscriptionsDue({ date: "2026-02-30" }), "date"],
    ["accounts", () => local.getRemitForecast({ account: `${contract},0x12` }), "account"],
    [
      "too many plans",
      () => local.getSubscriptionsDue({ subscription: Array(51).fill(planId(devnet)).join() }),
      "subscription",
    ],
    // The types exclude it; a program in JavaScript may send it.
    ["a frequency", () => local.getSubscriptionsDue({ frequency: 4 as 3 }), "frequency"],
    ["a signer", () => local.prepareRemit({ from: "0xnobody" }), "from"],
    ["another chain", () => local.getProtocolState({}, { chainId: 1 }), "chainId"],
  ];
  test.each(wrong)("%s", async (_, call, path) => {
    const error = await call().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path }] });
    expect(DuedayError.is(error)).toBe(true);
  });
});

describe("a node that fails is reported with the service's codes", () => {
  const over = (url: string, retryCount = 0) =>
    createLocalDueday({
      client: createPublicClient({ chain: devnetChain, transport: http(url, { retryCount }) }),
      contract,
    });

  test("one that can't be reached, and one of another chain", async () => {
    await expect(over("http://127.0.0.1:9").getProtocolState()).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
    const chain = { ...devnetChain, id: 1 };
    const wrong = createLocalDueday({ client: createPublicClient({ chain, transport: http(devnet.url) }), contract });
    await expect(wrong.getProtocolState()).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
  });

  test("one that fails once is asked again by the next call", async () => {
    let fails = true;
    const transport = http(devnet.url, {
      retryCount: 0,
      fetchFn: async (url, init) => (fails ? new Response("", { status: 503 }) : fetch(url, init)),
    });
    const dueday = createLocalDueday({ client: createPublicClient({ chain: devnetChain, transport }), contract });
    await expect(dueday.getProtocolState()).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    fails = false;
    expect((await dueday.getProtocolState()).contractAddress).toBe(contract);
  });

  test("a signal of many calls keeps nothing of those that have ended", async () => {
    const { signal } = new AbortController();
    await local.getProtocolState({}, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("an abort rejects with its reason", async () => {
    const reason = new Error("left");
    await expect(local.getProtocolState({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
