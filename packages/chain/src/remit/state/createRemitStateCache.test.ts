import { afterEach, expect, test } from "bun:test";
import { MULTICALL } from "@dueday/chain/test/deployMulticall";
import { plainState } from "@dueday/chain/test/plainState";
import { type CountingProxy, startProxy } from "@dueday/chain/test/startProxy";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { planRemit } from "@dueday/core/remit/planRemit";
import type { RemitState } from "@dueday/core/remit/state";
import { createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { empty } from "@dueday/devnet/scenarios/empty";
import { large } from "@dueday/devnet/scenarios/large";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { testDepth } from "@dueday/test-support/testDepth";
import { type Address, encodeFunctionData, getAddress, parseAbi, parseEther, parseUnits } from "viem";
import { readHead } from "../../block/readHead";
import { type ChainClient, createChainClient } from "../../client/createChainClient";
import { bulkReads } from "./bulkReads";
import { createRemitStateCache } from "./createRemitStateCache";
import { HOLDINGS_PROGRAM } from "./holdingsProgram";

const TIMEOUT_MS = 240_000;
const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const CALLER = getAddress("0x00000000000000000000000000000000000d0e00");
const transferAbi = parseAbi(["function transfer(address to, uint256 value)"]);

let devnet: Devnet;
let proxy: CountingProxy;
let client: ChainClient;
async function start(scenario: DevnetScenario): Promise<void> {
  devnet = await startDevnet({ scenario, now: NOW });
  proxy = startProxy(devnet.url);
  client = createChainClient({ chainId: 31337, rpcUrls: [proxy.url], requestTimeoutMs: 60_000 });
}
const backlogOf = (payments: number) => large({ payments, days: 6, maxRemits: 100n });
afterEach(async () => {
  await proxy.stop();
  await devnet.stop();
});

/** Characters that reads of the contract itself returned: lists, sets and fee balances, but not what tokens hold. */
function protocolBytes(): number {
  const readers = [devnet.contract, MULTICALL].map((address) => address.toLowerCase());
  return proxy.calls.reduce((sum, { method, params, bytes }) => {
    const [call] = params;
    const isRead = method === "eth_call" && readers.includes(Object(call).to?.toLowerCase());
    return isRead || method === "eth_getStorageAt" || method === "eth_getLogs" ? sum + bytes : sum;
  }, 0);
}

async function readCounted(stateCache: ReturnType<typeof createRemitStateCache>) {
  proxy.requests = 0;
  proxy.calls = [];
  const state = await stateCache.read(client, { block: await readHead(client), caller: CALLER });
  return { state, bytes: protocolBytes(), requests: proxy.requests };
}

function outcomeOf(state: RemitState, account: Address) {
  return planRemit(state).details.payments.find(({ subscriber }) => subscriber === account)?.outcome;
}

/** Payments, and the largest share of the protocol's state that is read again. */
const [PAYMENTS, MOST_PERCENT] = testDepth > 1 ? [30_000, 1] : [10_000, 3];

test(
  `after one new subscriber of ${PAYMENTS} less than ${MOST_PERCENT} % of the protocol's state is read again, and moved tokens are seen`,
  async () => {
    await start(backlogOf(PAYMENTS));
    const { contract, tokens, subscriptions } = devnet;
    const [token] = tokens;
    const [firstId] = Object.values(subscriptions);
    const [admin] = await devnet.client.request({ method: "eth_accounts" });
    if (!token || !firstId || !admin) throw new Error("the scenario is empty");
    const stateCache = createRemitStateCache(contract, bulkReads);
    const first = await readCounted(stateCache);
    const payer = planRemit(first.state).details.payments.find(
      ({ outcome }) => outcome === "paid" || outcome === "fee_fill",
    );
    if (payer === undefined) throw new Error("no subscriber pays");

    // One who subscribes, and one whose tokens leave without the protocol knowing.
    const target = { client: devnet.client, contract, admin };
    const newcomer = devnet.keeper.address;
    await fund(target, token, newcomer, parseUnits("1000", 6), parseUnits("1000", 6));
    await subscribe(target, newcomer, firstId);
    await devnet.client.impersonateAccount({ address: payer.subscriber });
    await devnet.client.setBalance({ address: payer.subscriber, value: parseEther("1") });
    const args = [admin, first.state.tokens.get(token)?.holdings.get(payer.subscriber)?.balance ?? 0n] as const;
    const data = encodeFunctionData({ abi: transferAbi, functionName: "transfer", args });
    await send(devnet.client, { from: payer.subscriber, to: token, data });

    const second = await readCounted(stateCache);
    // Of the parts, those of the newcomer, of the payer and of who received its tokens.
    expect(proxy.calls.filter(({ params }) => JSON.stringify(params).includes(HOLDINGS_PROGRAM)).length).toBeLessThan(
      5,
    );
    const share = second.bytes / first.bytes;
    console.log(
      `first read ${first.requests} requests, ${first.bytes} characters of protocol state; ` +
        `after one new subscriber ${second.requests} requests, ${second.bytes} (${(100 * share).toFixed(2)} %)`,
    );
    expect(share).toBeLessThan(MOST_PERCENT / 100);
    const fresh = await createRemitStateCache(contract).read(client, { block: await readHead(client), caller: CALLER });
    expect(plainState(second.state)).toEqual(plainState(fresh));
    expect(second.state.subscriptions.get(firstId)?.subscribers.at(-1)?.subscriber).toBe(newcomer);
    expect(outcomeOf(first.state, payer.subscriber)).toBe(payer.outcome);
    expect(outcomeOf(second.state, payer.subscriber)).toBe("fails_balance");
  },
  TIMEOUT_MS,
);

test(
  "a cache that follows the logs holds what a new one reads: after remits, reorganisations and unsubscribed entries",
  async () => {
    await start(backlogOf(2_000));
    const { contract, keeper } = devnet;
    const stateCache = createRemitStateCache(contract, bulkReads);
    await stateCache.read(client, { block: await readHead(client), caller: CALLER });
    const fork = await devnet.client.snapshot();
    const asNew = async () => {
      const block = await readHead(client);
      const fresh = await createRemitStateCache(contract).read(client, { block, caller: CALLER });
      expect(plainState(await stateCache.read(client, { block, caller: CALLER }))).toEqual(plainState(fresh));
    };
    for (let count = 0; count < 3; count++) {
      await send(devnet.client, { from: keeper.address, to: contract, data: encodeRemit() });
      await asNew();
    }
    await devnet.client.revert({ id: fork });
    await devnet.client.mine({ blocks: 4 });
    await asNew();
  },
  TIMEOUT_MS,
);

test(
  "a read of an earlier block has what a new cache reads there, and costs what has changed in between",
  async () => {
    await start(backlogOf(2_000));
    const { contract, keeper } = devnet;
    const stateCache = createRemitStateCache(contract, bulkReads);
    const first = await readCounted(stateCache);
    const before = await readHead(client);
    await devnet.client.mine({ blocks: 3 });
    await readCounted(stateCache);
    proxy.calls = [];
    expect(plainState(await stateCache.read(client, { block: before, caller: CALLER }))).toEqual(
      plainState(first.state),
    );
    expect(protocolBytes()).toBeLessThan(first.bytes / 20);

    await send(devnet.client, { from: keeper.address, to: contract, data: encodeRemit() });
    await readCounted(stateCache);
    expect(plainState(await stateCache.read(client, { block: before, caller: CALLER }))).toEqual(
      plainState(first.state),
    );
  },
  TIMEOUT_MS,
);

test(
  "a second read of a block, of more days, has what a new cache reads, and asks for what accounts hold only where that is new",
  async () => {
    await start(backlogOf(2_000));
    const block = await readHead(client);
    const stateCache = createRemitStateCache(devnet.contract, bulkReads);
    const holdingReads = () => proxy.calls.filter(({ params }) => JSON.stringify(params).includes(HOLDINGS_PROGRAM));
    const today = await stateCache.read(client, { block, caller: CALLER });
    proxy.calls = [];
    const ahead = await stateCache.read(client, { block, caller: CALLER, daysAhead: 35 });
    const asked = holdingReads().map(({ params }) => JSON.stringify(params).toLowerCase());
    const fresh = await createRemitStateCache(devnet.contract).read(client, { block, caller: CALLER, daysAhead: 35 });
    expect(plainState(ahead)).toEqual(plainState(fresh));
    for (const { holdings } of today.tokens.values()) {
      for (const account of holdings.keys()) {
        expect(asked.some((text) => text.includes(account.slice(2).toLowerCase()))).toBe(false);
      }
    }
  },
  TIMEOUT_MS,
);

test(
  "a book that was empty at first has its first subscription",
  async () => {
    await start(empty);
    const { contract, tokens } = devnet;
    const [token] = tokens;
    const [admin, , provider, subscriber] = await devnet.client.request({ method: "eth_accounts" });
    if (!token || !admin || !provider || !subscriber) throw new Error("the scenario is empty");
    const stateCache = createRemitStateCache(contract, bulkReads);
    const read = async () => stateCache.read(client, { block: await readHead(client), caller: CALLER, daysAhead: 7 });
    expect((await read()).subscriptions.size).toBe(0);

    const target = { client: devnet.client, contract, admin };
    const terms = { amount: parseEther("10"), token, details: { url: "", description: "" }, frequency: 0, dueDay: 3 };
    const id = await createSubscription(target, provider, terms);
    await fund(target, token, subscriber, parseUnits("1000", 6), parseUnits("1000", 6));
    await subscribe(target, subscriber, id);
    expect((await read()).subscriptions.get(id)?.subscribers).toMatchObject([{ subscriber: getAddress(subscriber) }]);
  },
  TIMEOUT_MS,
);

test("what a read finds that was under way when the cache was emptied is not kept", async () => {
  await start(empty);
  const stateCache = createRemitStateCache(devnet.contract);
  const block = await readHead(client);
  const reading = stateCache.read(client, { block, caller: CALLER });
  stateCache.forget();
  await reading;
  expect(stateCache.stateOf(block)).toBeNull();
  await devnet.client.mine({ blocks: 1 });
  await readCounted(stateCache);
  // Only what a kept read lacks is read by logs.
  expect(proxy.calls.filter(({ method }) => method === "eth_getLogs")).toEqual([]);
});
