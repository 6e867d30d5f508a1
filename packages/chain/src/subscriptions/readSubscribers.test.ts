import { afterAll, beforeAll, expect, test } from "bun:test";
import { beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { startProxy } from "@dueday/chain/test/startProxy";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import type { Hex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { accountRowsRead } from "../reads/readAccountRows";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";
import { type CoverageReader, createCoverageReader } from "../walk/createCoverageReader";
import { readSubscribers } from "./readSubscribers";

const tooSlow: CoverageReader = { read: async () => null };

let context: ReplayContext;
let node: ReplayNode;
let exact: CoverageReader;
/** Paid by ben, and by ann, who pays another plan with the same allowance. */
let id: Hex;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
  const monthly = { op: "create", by: "provider1", token: "T6", frequency: 1, amount: 10 } as const;
  const funded = { op: "fund", token: "T6", balance: 200, allowance: 75 } as const;
  await playHistory(
    context,
    [
      { ...funded, who: "ann" },
      { ...funded, who: "ben" },
      { ...monthly, dueDay: 20 },
      { ...monthly, dueDay: 21 },
      { op: "subscribe", sub: 0, by: "ann" },
      { op: "subscribe", sub: 1, by: "ann" },
      { op: "subscribe", sub: 0, by: "ben" },
    ],
    async () => {},
  );
  exact = createCoverageReader(createRemitStateCache(context.contract));
  const [plan] = await plansOf("ben");
  if (plan === undefined) throw new Error("ben pays no plan");
  id = plan.id;
});
afterAll(() => node.stop());

function clientOf(url: string) {
  return createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 30_000 });
}

async function plansOf(name: string) {
  const client = clientOf(context.url);
  const walk = await exact.read(client, await pinBlock(client));
  return walk?.plansOf(context.names.addressOf(name)) ?? [];
}

/** In front of the node, which it passes all calls but the read of what ann pays. */
function refusing(refusal: object) {
  const { data } = accountRowsRead(context.contract, { account: context.names.addressOf("ann"), bySubscriber: true });
  // A multicall has the read's data inside its own.
  const text = data.slice(2);
  return startProxy(context.url, ({ params }) => (JSON.stringify(params).includes(text) ? refusal : null));
}

/** Of a plan's subscribers: by default of ann and ben. */
async function figures(coverage: CoverageReader, { url = context.url, of = id } = {}) {
  const client = clientOf(url);
  const block = await pinBlock(client);
  const parameters = { contract: context.contract, id: of, first: 10, skip: 0, coverage, block };
  const page = await readSubscribers(client, parameters);
  return page?.subscribers.map(({ coveredPayments, failsOn, cause }) => ({ coveredPayments, failsOn, cause }));
}

test("where the contract's state takes too long to read, all that a subscriber pays in the token counts", async () => {
  const both = await figures(exact);
  expect(both?.map(({ coveredPayments }) => coveredPayments)).toEqual([3, 6]);
  expect(await figures(tooSlow)).toEqual(both);
});

const refusals = {
  "more than a call's gas allows": { code: -32000, message: "out of gas" },
  "more than a provider sends": { code: -32008, message: "Response size exceeded" },
};
for (const [much, refusal] of Object.entries(refusals)) {
  test(`a subscriber whose plans are ${much} is listed with the figures of this plan alone`, async () => {
    const proxy = refusing(refusal);
    const listed = await figures(tooSlow, { url: proxy.url });
    await proxy.stop();
    expect(listed?.map(({ coveredPayments }) => coveredPayments)).toEqual([6, 6]);
  });
}

test("where the node fails at a subscriber's plans, the list fails", async () => {
  const failure = { code: -32000, message: "service unavailable" };
  const proxy = refusing(failure);
  const listed = figures(tooSlow, { url: proxy.url });
  await expect(listed).rejects.toMatchObject({ code: "UPSTREAM_ERROR", details: { failure: "node_error" } });
  await proxy.stop();
});

test("of a subscriber with more than 20 other plans in the token this plan alone counts", async () => {
  const funded = { op: "fund", who: "cem", token: "T6", balance: 1_000, allowance: 1_000 } as const;
  const weekly = { op: "create", by: "stranger", token: "T6", frequency: 0, dueDay: 3, amount: 1 } as const;
  const subscribe = (sub: number) => ({ op: "subscribe", sub, by: "cem" }) as const;
  const others = Array.from({ length: 21 }, (_, index) => index + 1);
  const covered: unknown[] = [];
  await playHistory(
    context,
    [
      funded,
      { ...weekly, by: "provider1", frequency: 1, dueDay: 20, amount: 10 },
      ...others.map(() => weekly),
      ...[0, ...others.slice(1)].map(subscribe),
      { ...funded, allowance: 20 },
      { op: "check" },
      subscribe(1),
      { ...funded, allowance: 20 },
      { op: "check" },
    ],
    async () => {
      const of = (await plansOf("cem")).find(({ frequency }) => frequency === 1)?.id;
      covered.push((await figures(tooSlow, { of }))?.map(({ coveredPayments }) => coveredPayments));
    },
  );
  // The weekly plans of one week take the whole allowance.
  expect(covered).toEqual([[0], [2]]);
});

test("the plans of a day are charged by ascending id", async () => {
  const monthly = { op: "create", by: "provider1", token: "T6", frequency: 1, dueDay: 22, amount: 10 } as const;
  const funded = { op: "fund", who: "dora", token: "T6", balance: 200, allowance: 200 } as const;
  const subs = [0, 1, 2];
  await playHistory(
    context,
    [
      funded,
      ...subs.map(() => monthly),
      ...subs.map((sub) => ({ op: "subscribe", sub, by: "dora" }) as const),
      { ...funded, allowance: 20 },
    ],
    async () => {},
  );
  const ids = (await plansOf("dora")).map((plan) => plan.id).sort();
  const listed = await Promise.all(ids.map((of) => figures(tooSlow, { of })));
  expect(listed.flat().map((plan) => plan?.coveredPayments)).toEqual([1, 1, 0]);
});
