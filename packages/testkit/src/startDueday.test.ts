import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { createDueday } from "@dueday/sdk";
import { createGate, verifyCheckout } from "@dueday/sdk/gate";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startDueday } from "@dueday/testkit";
import { createRpc } from "@dueday/testkit/chain/createRpc";
import { createPublicClient, encodeFunctionData, http } from "viem";

setDefaultTimeout(120_000);

/** Prints how long it takes. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.info(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
  return result;
}

const stack = await timed("start of the demo", startDueday);
afterAll(() => stack.stop());
const dueday = createDueday({ baseUrl: stack.url });
const chain = createPublicClient({ transport: http(stack.rpcUrl), cacheTime: 0 });
const hashOf = async (blockNumber: bigint) => (await chain.getBlock({ blockNumber })).hash;

test("wallets have ether, subscribers have tokens, and the tokens are those that the protocol accepts", async () => {
  const { wallets, tokens, contract } = stack;
  for (const { address } of [wallets.provider, wallets.keeper, ...wallets.subscribers.slice(0, 3)]) {
    expect(await chain.getBalance({ address })).toBeGreaterThan(10n ** 18n);
  }
  const approved = (await dueday.listApprovedTokens()).tokens;
  expect(approved).toMatchObject(tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })));
  expect((await dueday.getProtocolState()).contractAddress).toBe(contract);
});

test("checkout() pays, and a shop accepts its proof once and lets the payer in", async () => {
  const { chainId, url: checkout, subscriptions, wallets } = stack;
  const [subscription, subscriber] = [subscriptions.unsold, wallets.subscribers[0]];
  if (subscription === undefined || subscriber === undefined) throw new Error("the demo has a plan and a wallet");
  const order = { origin: "https://shop.example", reference: "order 7" };
  const { account, transaction, ...proof } = await stack.checkout({ subscription, subscriber, ...order });
  const open = new Set([order.reference]);
  const shop = {
    checkout,
    chainId,
    subscription,
    origin: order.origin,
    dueday,
    client: chain,
    consume: (each: string) => open.delete(each),
  };
  expect((await chain.getTransactionReceipt({ hash: transaction })).status).toBe("success");
  const gate = await createGate({ ...shop, secret: "a secret of the shop, long and random" });
  const { cookie, entitlement } = await gate.signIn({ ...proof, reference: order.reference });
  expect(entitlement).toMatchObject({ account, entitled: true });
  const request = new Request("https://shop.example/", { headers: { Cookie: cookie.split(";")[0] ?? "" } });
  expect(await gate.admit(request)).toMatchObject({ account });
  const again = verifyCheckout({ ...shop, ...proof, reference: order.reference });
  expect(await again.catch((error) => error.code)).toBe("USED");
});

test("after travel() the service serves the plan of the new day, at the chain's head", async () => {
  const before = await dueday.getRemitReadiness();
  const time = await timed("travel to a served plan", () => stack.travel("2 days"));
  const after = await dueday.getRemitReadiness();
  expect(after.currentDay).toBe(before.currentDay + 2);
  expect(after.asOf.blockNumber).toBe(String(await chain.getBlockNumber()));
  expect(after.asOf.blockTimestamp).toBe(time.getTime() / 1000);
  const date = new Date(time.getTime() + 86_400_000).toISOString().slice(0, 10);
  expect(await stack.travel({ to: date })).toEqual(new Date(date));
});

test("settle() leaves nothing due, and the events of its payments are served when it resolves", async () => {
  const { totals, asOf } = await dueday.getRemitReadiness();
  const { transactions } = await stack.settle();
  expect(transactions.length).toBe(totals.transactions);
  expect(await dueday.getRemitReadiness()).toMatchObject({ ready: false, totals: { payments: 0 } });
  expect(await countCharges(BigInt(asOf.blockNumber))).toBe(totals.payments);
  expect((await stack.settle()).transactions).toEqual([]);
});

test("settle() ends with the reason where remit() succeeds and settles nothing", async () => {
  const snapshot = await stack.snapshot();
  await stack.travel("30 days");
  const rpc = createRpc(stack.rpcUrl);
  const [from] = Object(await rpc("eth_accounts"));
  const data = encodeFunctionData({ abi: adminAbi, functionName: "changeMaxRemits", args: [0n] });
  const call = { from, to: stack.contract, data };
  expect(await rpc("eth_sendTransactionSync", [call])).toMatchObject({ status: "0x1" });
  await expect(stack.settle()).rejects.toThrow("remit() is blocked: maxRemits is 0");
  await stack.revert(snapshot);
});

/** Charges that the service has announced of later blocks than this. */
async function countCharges(block: bigint): Promise<number> {
  let count = 0;
  for (let after: number | undefined; ; ) {
    const page = await dueday.listEvents({ types: ["payment.paid", "payment.failed"], after, first: 200 });
    count += page.events.filter((event) => event.block !== undefined && BigInt(event.block.number) > block).length;
    if (!page.hasMore) return count;
    after = page.nextAfter;
  }
}

test("revert() brings back state and time in blocks with other hashes above the old head, as often as asked", async () => {
  const snapshot = await stack.snapshot();
  const plan = async () => {
    const { asOf: _, ...rest } = await dueday.getRemitReadiness();
    return { ...rest, requestId: null };
  };
  const before = await plan();
  for (let round = 0; round < 2; round++) {
    await stack.travel("30 days");
    await stack.settle();
    const [oldHead, replaced] = [await chain.getBlockNumber(), await hashOf(snapshot.block + 1n)];
    await stack.revert(snapshot);
    expect(await chain.getBlockNumber()).toBeGreaterThan(oldHead);
    expect(await hashOf(snapshot.block + 1n)).not.toBe(replaced);
    expect(await plan()).toEqual(before);
  }
  expect((await chain.getBlock()).timestamp - BigInt(snapshot.time.getTime() / 1000)).toBeLessThan(86_400n);
});

test("a second stack starts beside the first, with its own chain and nothing on it", async () => {
  await using empty = await timed("start of an empty stack", () => startDueday({ scenario: "empty" }));
  expect(empty.subscriptions).toEqual({});
  expect(empty.rpcUrl).not.toBe(stack.rpcUrl);
  const { subscriptions } = await createDueday({ baseUrl: empty.url }).searchSubscriptions();
  expect(subscriptions).toEqual([]);
});

test("a snapshot that lies on a branch that was left is refused, and so is one of another stack", async () => {
  const early = await stack.snapshot();
  await stack.travel("1 hour");
  const late = await stack.snapshot();
  await stack.revert(early);
  await expect(stack.revert(late)).rejects.toThrow("younger than one that was returned to");
  await expect(stack.revert({ block: 1n, time: new Date(0) })).rejects.toThrow("another chain");
});

test("with a block time blocks come by themselves, several a second, and every control works between them", async () => {
  await using ticking = await startDueday({ scenario: "demo", blockTimeMs: 200 });
  const [served, node] = [
    createDueday({ baseUrl: ticking.url }),
    createPublicClient({ transport: http(ticking.rpcUrl), cacheTime: 0 }),
  ];
  const from = await node.getBlockNumber();
  await waitUntil("ten blocks", async () => (await node.getBlockNumber()) >= from + 10n);
  const blocks = await Promise.all(
    Array.from({ length: 10 }, (_, index) => node.getBlock({ blockNumber: from + BigInt(index) + 1n })),
  );
  expect(new Set(blocks.map(({ timestamp }) => timestamp)).size).toBeLessThan(blocks.length);

  const { currentDay } = await served.getRemitReadiness();
  const snapshot = await ticking.snapshot();
  const replaced = async () => (await node.getBlock({ blockNumber: snapshot.block + 1n })).hash;
  for (let round = 0; round < 2; round++) {
    await ticking.travel("2 days");
    expect((await served.getRemitReadiness()).currentDay).toBe(currentDay + 2);
    expect((await ticking.settle()).transactions.length).toBeGreaterThan(0);
    expect(await served.getRemitReadiness()).toMatchObject({ ready: false, totals: { payments: 0 } });
    const [oldHead, oldHash] = [await node.getBlockNumber(), await replaced()];
    await ticking.revert(snapshot);
    expect(await node.getBlockNumber()).toBeGreaterThan(oldHead);
    expect(await replaced()).not.toBe(oldHash);
    expect(await served.getRemitReadiness()).toMatchObject({ currentDay, ready: true });
  }

  const [sender, receiver] = ticking.wallets.subscribers;
  const rpc = createRpc(ticking.rpcUrl);
  const transfer = { from: sender?.address, to: receiver?.address, value: "0x1" };
  const hash = await rpc("eth_sendTransaction", [transfer]);
  await ticking.caughtUp();
  expect(await rpc("eth_getTransactionReceipt", [hash])).toMatchObject({ status: "0x1" });
});

describe("what can't be done is refused with what is allowed", () => {
  test("a time that has passed, and texts that are neither a duration nor a date", async () => {
    await expect(stack.travel({ to: "2020-01-01" })).rejects.toThrow("is not after the chain's newest block");
    await expect(stack.travel({ to: "soon" })).rejects.toThrow('write one such as "2027-01-31"');
    // @ts-expect-error A month has no fixed length, so the type has no such unit.
    await expect(stack.travel("1 month")).rejects.toThrow("seconds, minutes, hours, days, weeks");
  });

  test("a block time that is none", async () => {
    await expect(startDueday({ blockTimeMs: 0 })).rejects.toThrow("write milliseconds above 0, such as 200");
    await expect(startDueday({ blockTimeMs: Number.NaN })).rejects.toThrow("write milliseconds above 0, such as 200");
  });

  test("an unknown scenario and a wrong setting, with the service's own words", async () => {
    // @ts-expect-error There is no such scenario.
    await expect(startDueday({ scenario: "full" })).rejects.toThrow("choose one of demo, empty");
    await expect(startDueday({ settings: { PORT: "http" } })).rejects.toThrow("PORT: must be a whole number");
    const { port } = new URL(stack.rpcUrl);
    await expect(startDueday({ settings: { DEVNET_PORT: port } })).rejects.toThrow(
      `port ${port} is in use: stop the program that uses it, or choose another port with DEVNET_PORT`,
    );
  });
});
