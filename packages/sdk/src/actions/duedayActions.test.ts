import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createDueday, DuedayError } from "@dueday/sdk";
import { type DuedayActionsOptions, duedayActions, type PrepareSource } from "@dueday/sdk/actions";
import { waitUntil } from "@dueday/test-support/waitUntil";
import {
  type Address,
  createWalletClient,
  custom,
  type EIP1193RequestFn,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  maxUint256,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { api, devnet, stop } = await startDemoApi();
const { client, contract } = devnet;
const dueday = createDueday({ baseUrl: api.url });
const plan = demoPlans.find(({ key }) => key === "reader");
const id = devnet.subscriptions.reader ?? "0x";
const { subscription } = await dueday.getSubscription({ id });
const token = subscription.token as Address; // checked by the service's schema
/** Funded and not subscribed to `id`. */
const joiner = testAccount(ACCOUNT_INDEX.firstSubscriber);
const member = testAccount(ACCOUNT_INDEX.firstSubscriber + (plan?.subscribers[0] ?? 0));
const provider = testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0));
let snapshot: Hex;

beforeEach(async () => {
  snapshot = await client.snapshot();
});
afterEach(() => client.revert({ id: snapshot }));
afterAll(stop);

const options: DuedayActionsOptions = { dueday, contract };
/** Signs with the keys that the node holds. */
const node = createWalletClient({ chain: devnetChain, transport: http(devnet.url) });
/** Any method of the node, as a wallet passes it on. */
const askNode = node.request as (request: { method: string; params?: unknown }) => Promise<unknown>;

/** A wallet with its own key, which has no batches. */
function walletOf({ privateKey }: { privateKey: Hex }, actions = options) {
  const account = privateKeyToAccount(privateKey);
  const wallet = createWalletClient({ account, chain: devnetChain, transport: http(devnet.url), pollingInterval: 10 });
  return wallet.extend(duedayActions(actions));
}

/** A wallet behind an EIP-1193 provider that takes batches, as EIP-5792 wallets do, and keeps the requests it got. */
function batchingWallet(address: Address, atomic: string) {
  const requests: string[] = [];
  const batches = new Map<string, { calls: { to: Address; data: Hex }[]; hashes: Hex[] }>();
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    requests.push(method);
    const [first] = Array.isArray(params) ? params : [];
    if (method === "wallet_getCapabilities") return { [toHex(devnetChain.id)]: { atomic: { status: atomic } } };
    if (method === "wallet_sendCalls") {
      const hashes: Hex[] = [];
      for (const { to, data } of first.calls) {
        hashes.push(await node.sendTransaction({ account: address, to, data }));
      }
      batches.set("0x01", { calls: first.calls, hashes });
      return { id: "0x01" };
    }
    if (method === "wallet_getCallsStatus") {
      const hashes = batches.get(first)?.hashes ?? [];
      const receipts = await Promise.all(
        hashes.map((hash) => askNode({ method: "eth_getTransactionReceipt", params: [hash] })),
      );
      const status = receipts.includes(null) ? 100 : 200;
      return { version: "2.0.0", id: first, chainId: toHex(devnetChain.id), atomic: false, status, receipts };
    }
    // The rest is the node's.
    return askNode({ method, params });
  };
  const transport = custom({ request: request as EIP1193RequestFn });
  const wallet = createWalletClient({ account: address, chain: devnetChain, transport, pollingInterval: 10 });
  return { wallet: wallet.extend(duedayActions(options)), requests, batches };
}

const allowance = (owner: Address) =>
  client.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, contract] });
/** The service answers from a head of the last seconds, so it may be behind for a moment. */
const untilStatus = (address: Address, label: string) =>
  waitUntil(`${address} ${label}`, async () => (await statusOf(address)) === label);
const statusOf = async (address: Address) => {
  const { subscriptions } = await dueday.getAccountSubscriptions({ address, bySubscriber: true });
  return subscriptions.find((row) => row.subscription.id === id)?.statusLabel;
};

describe("a wallet without batches", () => {
  test("subscribes after its approval, in sequence, each with its receipt", async () => {
    await resetAllowance(joiner.address);
    const sent: string[] = [];
    const { receipts } = await walletOf(joiner).subscribe({ id, onSent: (hash) => sent.push(hash) });
    expect(receipts.map(({ transactionHash }): string => transactionHash)).toEqual(sent);
    expect(receipts.map(({ logs }) => logs.length > 0)).toEqual([true, true]);
    await untilStatus(joiner.address, "ACTIVE");
  });

  test("unsubscribes, and a provider cancels and edits", async () => {
    await walletOf(member).unsubscribe({ id });
    await untilStatus(member.address, "UNSUBSCRIBED");
    const details = { url: "https://example.com/new", description: "New" };
    const { receipts } = await walletOf(provider).editDetails({ id, details });
    expect(receipts[0]?.logs.length).toBe(1);
    await walletOf(provider).cancelSubscription({ id });
    await waitUntil("cancelled", async () => (await dueday.getSubscription({ id })).subscription.cancelled);
  });

  test("changes from a plan to another, and ends in the new one alone", async () => {
    await resetAllowance(member.address);
    const join = devnet.subscriptions.nano ?? "0x";
    const sent: string[] = [];
    await walletOf(member).changePlan({ leave: id, join, approvalPeriods: 6, onSent: (hash) => sent.push(hash) });
    expect(sent).toHaveLength(3);
    await untilStatus(member.address, "UNSUBSCRIBED");
    const { plans } = await dueday.getAccountHealth({ address: member.address });
    expect(plans.map((each) => each.id)).toContain(join);
    expect(plans.map((each) => each.id)).not.toContain(id);
  });

  test("creates a subscription and learns its id from the transaction", async () => {
    const terms = { amount: "12.50", token, frequency: 1, dueDay: 5 } as const;
    const details = { url: "", description: "Created by an action" };
    const created = await walletOf(provider).createSubscription({ ...terms, details });
    expect((await dueday.getSubscription({ id: created.id })).subscription).toMatchObject({ ...terms, amount: "12.5" });
  });

  test("approves a number of periods of one plan or of all that the wallet pays in the token, or without limit", async () => {
    await walletOf(member).approve({ id, periods: 12, exact: true });
    expect(await allowance(member.address)).toBe(BigInt(subscription.amountRaw) * 12n);
    await walletOf(member).approve({ id, periods: 12 });
    const shared = await allowance(member.address);
    expect(shared).toBeGreaterThan(BigInt(subscription.amountRaw) * 12n);
    await walletOf(member).approve({ token: getAddress(subscription.token), periods: 12 });
    expect(await allowance(member.address)).toBeGreaterThanOrEqual(shared);
    await walletOf(member).approve({ id, infinite: true });
    expect(await allowance(member.address)).toBe(maxUint256);
  });

  test("removes a subscriber, as its provider, and names what will be signed before the wallet is asked", async () => {
    const steps: string[] = [];
    await walletOf(provider).removeSubscriber({
      id,
      subscriber: member.address,
      onChecked: (transactions) => steps.push(...transactions.map(({ to }) => to)),
      onSent: () => steps.push("sent"),
    });
    expect(steps).toEqual([contract, "sent"]);
    await untilStatus(member.address, "UNSUBSCRIBED");
  });

  test("writes its provider profile, and settles a page of the backlog as a keeper", async () => {
    const texts = { description: "d", company: "c", url: "u", domain: "o", email: "e", misc: "m" };
    const profiled = await walletOf(provider).editProviderProfile({ profile: texts });
    expect(profiled.receipts[0]?.logs.length).toBe(1);
    const before = await dueday.getProtocolState();
    const { receipts } = await walletOf(devnet.keeper).remit();
    expect(receipts[0]?.logs.length).toBeGreaterThan(0);
    expect((await dueday.getProtocolState()).asOf.blockNumber).not.toBe(before.asOf.blockNumber);
  });
});

describe("a wallet with EIP-5792", () => {
  test.each(["supported", "ready"])("subscribes and approves in one batch (atomic: %s)", async (atomic) => {
    await resetAllowance(joiner.address);
    const { wallet, requests, batches } = batchingWallet(joiner.address, atomic);
    const { receipts } = await wallet.subscribe({ id });
    expect(batches.get("0x01")?.calls.map(({ to }) => to.toLowerCase())).toEqual([
      token.toLowerCase(),
      contract.toLowerCase(),
    ]);
    expect(requests).not.toContain("eth_sendTransaction");
    expect(receipts.length).toBe(2);
    await untilStatus(joiner.address, "ACTIVE");
  });

  test("repairs what its account's health names, and leaves a plan and revokes its approval, each in one batch", async () => {
    await resetAllowance(member.address);
    const { wallet, batches } = batchingWallet(member.address, "supported");
    const health = () => dueday.getAccountHealth({ address: member.address });
    const missesAllowance = async () => (await health()).failures.some(({ cause }) => cause === "allowance");
    await waitUntil("the lack of allowance to be seen", missesAllowance);
    const { repair, days } = await health();
    const approvals = repair.approve.map((each) => ({
      token: getAddress(each.token),
      units: BigInt(each.amountRaw),
    }));
    await wallet.repairApprovals({ approvals, days });
    expect(await allowance(member.address)).toBe(
      approvals.find((each) => each.token === getAddress(token))?.units ?? 0n,
    );
    await waitUntil("nothing to lack allowance", async () => !(await missesAllowance()));

    await wallet.unsubscribe({ id, revokes: true });
    expect(batches.get("0x01")?.calls.map(({ to }) => to.toLowerCase())).toEqual([
      contract.toLowerCase(),
      token.toLowerCase(),
    ]);
    expect(await allowance(member.address)).toBe(0n);
    await untilStatus(member.address, "UNSUBSCRIBED");
  });

  test("changes from a plan to another in one batch: the old one is left last", async () => {
    await resetAllowance(member.address);
    const { wallet, requests, batches } = batchingWallet(member.address, "supported");
    await wallet.changePlan({ leave: id, join: devnet.subscriptions.nano ?? "0x" });
    expect(requests.filter((method) => method === "wallet_sendCalls")).toHaveLength(1);
    const calls = batches.get("0x01")?.calls.map(({ to }) => getAddress(to));
    expect(calls).toEqual([token, contract, contract].map((each) => getAddress(each)));
    await untilStatus(member.address, "UNSUBSCRIBED");
  });

  test("gets single transactions as such, and batches not at all where it has none on this chain", async () => {
    const single = batchingWallet(member.address, "supported");
    await single.wallet.unsubscribe({ id });
    expect(single.requests).not.toContain("wallet_getCapabilities");
    await resetAllowance(joiner.address);
    const without = batchingWallet(joiner.address, "unsupported");
    await without.wallet.subscribe({ id });
    expect(without.requests.filter((method) => method === "eth_sendTransaction").length).toBe(2);
  });
});

describe("nothing is signed", () => {
  test("where the approval that was prepared is another one, or the profile has other texts", async () => {
    const source: PrepareSource = {
      ...dueday,
      prepareApprove: (input, options) => dueday.prepareApprove({ ...input, approvalPeriods: 120 }, options),
      prepareEditProviderProfile: ({ profile, ...input }, options) =>
        dueday.prepareEditProviderProfile({ ...input, profile: { ...profile, url: "https://other.example" } }, options),
    };
    const spoiledOptions = { dueday: source, contract };
    const nonces = () => Promise.all([member, provider].map(({ address }) => client.getTransactionCount({ address })));
    const before = await nonces();
    await expect(walletOf(member, spoiledOptions).approve({ id, periods: 12 })).rejects.toMatchObject({
      code: "REFUSED",
    });
    const profile = { description: "d", company: "c", url: "", domain: "o", email: "e", misc: "m" };
    await expect(walletOf(provider, spoiledOptions).editProviderProfile({ profile })).rejects.toMatchObject({
      code: "REFUSED",
    });
    expect(await nonces()).toEqual(before);
  });

  /** A service that prepares honestly, but for what `spoil` changes. */
  const spoiled = (
    spoil: (transaction: { to: string; data: string; value: string }, index: number) => void,
  ): PrepareSource => ({
    ...dueday,
    async prepareSubscribeById(input, options) {
      const answer = await dueday.prepareSubscribeById(input, options);
      if ("unsignedTransactions" in answer) answer.unsignedTransactions.forEach(spoil);
      return answer;
    },
  });
  const subscribeWith = (source: PrepareSource) => walletOf(joiner, { dueday: source, contract }).subscribe({ id });
  const nonce = () => client.getTransactionCount({ address: joiner.address });

  test.each<[string, Parameters<typeof spoiled>[0]]>([
    ["another contract", (each) => Object.assign(each, { to: token })],
    [
      "another subscription",
      (each, i) => i === 1 && Object.assign(each, { data: each.data.replace(id.slice(2), "ab".repeat(32)) }),
    ],
    [
      "a higher approval",
      (each, i) => i === 0 && Object.assign(each, { data: `${each.data.slice(0, -64)}${"f".repeat(64)}` }),
    ],
    ["a value", (each) => Object.assign(each, { value: "1" })],
  ])("that is for %s than what was asked for", async (_, spoil) => {
    await resetAllowance(joiner.address);
    const before = await nonce();
    await expect(subscribeWith(spoiled(spoil))).rejects.toMatchObject({ code: "REFUSED" });
    expect(await nonce()).toBe(before);
  });

  test.each<[string, (transactions: { data: string }[]) => unknown]>([
    ["leaves another plan", (all) => Object.assign(all.at(-1) ?? {}, { data: all.at(-2)?.data })],
    ["leaves first", (all) => all.push(...all.splice(-2, 1))],
    ["leaves alone", (all) => all.splice(0, all.length - 1)],
    ["only joins", (all) => all.pop()],
  ])("where a change of plan %s", async (_, spoil) => {
    const source: PrepareSource = {
      ...dueday,
      async prepareChangePlan(input, options) {
        const answer = await dueday.prepareChangePlan(input, options);
        if ("unsignedTransactions" in answer) spoil(answer.unsignedTransactions);
        return answer;
      },
    };
    const before = await client.getTransactionCount({ address: member.address });
    const change = walletOf(member, { dueday: source, contract }).changePlan({
      leave: id,
      join: devnet.subscriptions.nano ?? "0x",
    });
    await expect(change).rejects.toMatchObject({ code: "REFUSED" });
    expect(await client.getTransactionCount({ address: member.address })).toBe(before);
  });

  test("where a repair approves more than is charged in its days, or nothing", async () => {
    const days = 35;
    const { tokens } = await dueday.getAccountHealth({ address: member.address, days });
    const due = tokens.find((each) => getAddress(each.token) === getAddress(token))?.dueRaw ?? "0";
    await resetAllowance(member.address);
    const before = await client.getTransactionCount({ address: member.address });
    const approvals = [{ token: getAddress(token), units: BigInt(due) * 10n + 1n }];
    for (const asked of [approvals, []]) {
      const refused = walletOf(member).repairApprovals({ approvals: asked, days });
      await expect(refused).rejects.toMatchObject({ code: "REFUSED" });
    }
    expect(await client.getTransactionCount({ address: member.address })).toBe(before);
  });

  test("where a rule of the protocol refuses, with the service's issues", async () => {
    const error: unknown = await walletOf(joiner)
      .unsubscribe({ id })
      .catch((reason) => reason);
    if (!DuedayError.is(error, "NOT_READY")) throw error;
    expect(error.issues.length).toBeGreaterThan(0);
    const unknown = `0x${"12".repeat(32)}` as const;
    await expect(walletOf(joiner).subscribe({ id: unknown })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

async function resetAllowance(owner: Address): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [contract, 0n] });
  await send(client, { from: owner, to: token, data });
}
