import { afterAll, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, encodeFunctionData, type Hex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { prefetchSubscription } from "./prefetchSubscription";
import { readSubscriberFacts } from "./readSubscriberFacts";
import { readSubscriberStatus } from "./readSubscriberStatus";
import { readSubscriptions } from "./readSubscriptions";

const NOW_SECONDS = 1_790_000_000;
const SUBSCRIBERS = 60;

const devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
const { contract } = devnet;
const client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
const ids = Object.values(devnet.subscriptions);
const subscribers = Array.from(
  { length: SUBSCRIBERS },
  (_, i) => testAccount(ACCOUNT_INDEX.firstSubscriber + i).address,
);

afterAll(() => devnet.stop());

/** The same node, but without revert reasons. */
const silent: ChainClient = {
  ...client,
  rpc: (method, parameters) =>
    client.rpc(method, parameters).catch((error: unknown) => {
      throw error instanceof RpcRefusal ? new RpcRefusal(error.code, error.message, undefined) : error;
    }),
};

async function rowStatus(account: Address, id: Hex): Promise<number | undefined> {
  const args = [account] as const;
  const rows = await devnet.client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccount",
    args,
  });
  return rows.subscriptions.find((row) => row.id === id)?.status;
}

test("the status of every account for every subscription is that of its rows, also on a node without revert reasons", async () => {
  const gone = subscribers.slice(0, 3);
  for (const account of gone) {
    const [id] = await idsOf(account);
    if (id === undefined) throw new Error("the demo has a subscriber without a subscription");
    await send(devnet.client, { from: account, to: contract, data: encodeUnsubscribe(onlyId(id)) });
  }
  const block = await pinBlock(client);
  const records = await readSubscriptions(client, { contract, ids, block });
  const seen = new Set<string>();
  for (const record of records.values()) {
    for (const account of subscribers.slice(0, 12)) {
      const row = await rowStatus(account, record.id);
      const expected = row === undefined ? "stranger" : row === 0 ? "active" : "unsubscribed";
      seen.add(expected);
      expect(await readSubscriberStatus(client, { contract, record, account, block })).toBe(expected);
      expect(await readSubscriberStatus(silent, { contract, record, account, block })).toBe(expected);
    }
  }
  expect([...seen].sort()).toEqual(["active", "stranger", "unsubscribed"]);
});

async function idsOf(account: Address): Promise<Hex[]> {
  const args = [account] as const;
  const rows = await devnet.client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccount",
    args,
  });
  return rows.subscriptions.filter(({ status }) => status === 0).map(({ id }) => id);
}

test("a wrong guess, or none, gives the same facts as the right one", async () => {
  const block = await pinBlock(client);
  const [id, other] = ids;
  const [account] = subscribers;
  if (id === undefined || other === undefined || account === undefined) throw new Error("the demo is too small");
  const read = async (prefetched: Awaited<ReturnType<typeof prefetchSubscription>>) =>
    readSubscriberFacts(client, { contract, id, account, block, prefetched });
  const guess = await prefetchSubscription(client, { contract, id });
  const wrong = await prefetchSubscription(client, { contract, id: other });
  if (guess === null || wrong === null) throw new Error("the demo's ids are not known");
  const facts = await read(guess);
  expect(facts?.record.id).toBe(id);
  expect(await read(null)).toEqual(facts);
  expect(await read({ ...guess, provider: wrong.provider, token: subscribers[5] ?? account })).toEqual(facts);
});

test("an unknown id is null, whatever was guessed", async () => {
  const block = await pinBlock(client);
  const unknown: Hex = `0x${"77".repeat(32)}`;
  const [account = contract] = subscribers;
  expect(await prefetchSubscription(client, { contract, id: unknown })).toBeNull();
  const [known = unknown] = ids;
  for (const prefetched of [null, await prefetchSubscription(client, { contract, id: known })]) {
    expect(await readSubscriberFacts(client, { contract, id: unknown, account, block, prefetched })).toBeNull();
  }
});

test("a subscriber whom the janitor removed is a stranger, also on a node without revert reasons", async () => {
  const [account = contract] = subscribers.slice(20);
  const [id] = await idsOf(account);
  if (id === undefined) throw new Error("the demo has a subscriber without a subscription");
  const records = await readSubscriptions(client, { contract, ids: [id], block: await pinBlock(client) });
  const record = records.get(id);
  if (record === undefined) throw new Error("the subscription of the demo is not known");
  await send(devnet.client, { from: record.provider, to: contract, data: encodeCancelSubscription(onlyId(id)) });
  const janitor = testAccount(ACCOUNT_INDEX.janitor).address;
  const data = encodeFunctionData({
    abi: adminAbi,
    functionName: "cleanupCancelledSubscribers",
    args: [onlyId(id)],
  });
  while ((await rowStatus(account, id)) === 0) await send(devnet.client, { from: janitor, to: contract, data });
  const block = await pinBlock(client);
  expect(await rowStatus(account, id)).toBe(1);
  expect(await readSubscriberStatus(client, { contract, record, account, block })).toBe("stranger");
  expect(await readSubscriberStatus(silent, { contract, record, account, block })).toBe("stranger");
});
