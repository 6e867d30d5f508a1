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
  const client = clientOf(context.url);
  const walk = await exact.read(client, await pinBlock(client));
  const [plan] = walk?.plansOf(context.names.addressOf("ben")) ?? [];
  if (plan === undefined) throw new Error("ben pays no plan");
  id = plan.id;
});
afterAll(() => node.stop());

function clientOf(url: string) {
  return createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 30_000 });
}

/** Of ann and ben. */
async function figures(coverage: CoverageReader, url = context.url) {
  const client = clientOf(url);
  const parameters = { contract: context.contract, id, first: 10, skip: 0, coverage, block: await pinBlock(client) };
  const page = await readSubscribers(client, parameters);
  return page?.subscribers.map(({ coveredPayments, failsOn, cause }) => ({ coveredPayments, failsOn, cause }));
}

test("where the contract's state takes too long to read, all that a subscriber pays in the token counts", async () => {
  const both = await figures(exact);
  expect(both?.map(({ coveredPayments }) => coveredPayments)).toEqual([3, 6]);
  expect(await figures(tooSlow)).toEqual(both);
});

test("a subscriber with more plans than the node can return is listed with the figures of this plan alone", async () => {
  const { contract, names, url } = context;
  const { data } = accountRowsRead(contract, { account: names.addressOf("ann"), bySubscriber: true });
  const proxy = startProxy(url, ({ params }) =>
    JSON.stringify(params).includes(data) ? { code: -32000, message: "out of gas" } : null,
  );
  expect((await figures(tooSlow, proxy.url))?.map(({ coveredPayments }) => coveredPayments)).toEqual([6, 6]);
  await proxy.stop();
});
