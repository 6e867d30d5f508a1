import { afterAll, beforeAll, expect, test } from "bun:test";
import { beginning, playHistory } from "@dueday/chain/test/randomHistory";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { createRemitStateCache } from "../remit/state/createRemitStateCache";
import { createCoverageReader } from "../walk/createCoverageReader";
import { readAccount } from "./readAccount";

let context: ReplayContext;
let node: ReplayNode;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
});
afterAll(() => node.stop());

test("a paused token hinders the payments of a plan, and nothing of a cancelled one, which has no payments", async () => {
  const monthly = { op: "create", by: "provider1", token: "T6", frequency: 1, amount: 10 } as const;
  await playHistory(
    context,
    [
      { op: "fund", who: "ann", token: "T6", balance: 200, allowance: 150 },
      { ...monthly, dueDay: 20 },
      { ...monthly, dueDay: 21 },
      { op: "subscribe", sub: 0, by: "ann" },
      { op: "subscribe", sub: 1, by: "ann" },
      { op: "cancel", sub: 1 },
      { op: "pause", token: "T6" },
    ],
    async () => {},
  );
  const { contract, url, names } = context;
  const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 30_000 });
  const coverage = createCoverageReader(createRemitStateCache(contract));
  const parameters = { contract, account: names.addressOf("ann"), coverage, first: 10, skip: 0 };
  const { subscribedTo } = await readAccount(client, { ...parameters, block: await pinBlock(client) });
  expect(subscribedTo.map(({ hindrance }) => hindrance)).toEqual(["token_paused", null]);
});
