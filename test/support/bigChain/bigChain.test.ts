import { afterAll, beforeAll, expect, test } from "bun:test";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { openDueDays } from "@dueday/chain/due/readDueDays";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { readReadinessFacts } from "@dueday/chain/remit/readRemitReadiness";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { createRemitStateCache, type RemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { readFingerprint } from "@dueday/chain/remit/state/readFingerprint";
import { readLongList } from "@dueday/chain/remit/state/readLongList";
import { startProxy } from "@dueday/chain/test/startProxy";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import { createSubscription, fund, subscribe, type Target } from "@dueday/devnet/scenarios/actions";
import { large } from "@dueday/devnet/scenarios/large";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import {
  type Address,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseEther,
} from "viem";
import type { Change } from "./applyChange";
import { copyOfDevnet } from "./copyOfDevnet";
import { type BigChain, startBigChain } from "./startBigChain";

const [SPREAD, WEEKLY] = [480, 20];
/** 2026-06-15, a Monday. */
const NOW = 1_781_524_800;
const KEEPER: Address = "0x000000000000000000000000000000000000bEEF";
/** The model's gas is off by this share at most (`gasMeter`). */
const GAS_ERROR = 0.2;

type Asked = { method: string; params: unknown[] };

let devnet: Devnet;
let proxy: ReturnType<typeof startProxy>;
let bigChain: BigChain;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: large({ payments: SPREAD, days: 28, subscribersOfEach: 1 }), now: NOW });
  await addWeekly();
  const copy = await copyOfDevnet(devnet, SPREAD + WEEKLY);
  bigChain = startBigChain(copy);
  proxy = startProxy(devnet.url);
});

afterAll(async () => {
  await proxy?.stop();
  await bigChain?.stop();
  await devnet?.stop();
});

/** Subscriptions of each weekday, which the scenario has none of. */
async function addWeekly(): Promise<void> {
  const { client, contract, tokens, subscriptions } = devnet;
  const [token] = tokens;
  const [admin, , , provider] = await client.request({ method: "eth_accounts" });
  if (token === undefined || admin === undefined || provider === undefined) throw new Error("the scenario has these");
  const target: Target = { client, contract, admin };
  await client.request({ method: "anvil_autoImpersonateAccount", params: [true] });
  for (let index = 0; index < WEEKLY; index++) {
    const details = { url: "https://harbor.example/plans", description: `Weekly ${index}` };
    const terms = { amount: parseEther("10"), token, frequency: 0, dueDay: 1 + (index % 7), details } as const;
    const id = await createSubscription(target, provider, terms);
    const subscriber = numberToHex(0x2000_0000_0000n + BigInt(index), { size: 20 });
    await client.setBalance({ address: subscriber, value: parseEther("1") });
    await fund(target, token, subscriber, 1_000_000_000n, 1_000_000_000n);
    await subscribe(target, subscriber, id);
    subscriptions[`weekly${index}`] = id;
  }
}

/** All that a worker asks in its scans, and what it makes of the answers. */
async function scan(url: string, stateCache: RemitStateCache) {
  const { contract, tokens } = devnet;
  const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 60_000 });
  const block = await pinBlock(client);
  const today = Number(block.timestamp) / 86_400;
  const days = Array.from({ length: 36 }, (_, ahead) => Math.floor(today) + ahead);
  const parameters = { contract, from: KEEPER, block, stateCache, onAlarm: alarmed };
  const { gasPrice: _, plan, ...readiness } = await readReadinessFacts(client, { ...parameters, model: "always" });
  const dayOf = await openDueDays(client, { ...parameters, days });
  const protocol = await readProtocolState(client, { contract, block });
  const approved = await readApprovedTokens(client, { contract, tokens, block });
  const { tokens: held, ...state } = await stateCache.read(client, { block, caller: KEEPER, daysAhead: 35 });
  const holders = new Map([...held].map(([token, { holdings }]) => [token, new Set(holdings.keys())]));
  const fingerprint = await readFingerprint(client, { contract, holders, block });
  return { readiness, plan, days: await Promise.all(days.map(dayOf)), protocol, approved, state, held, fingerprint };
}

function alarmed(alarm: object): void {
  throw new Error(`the plan raises an alarm: ${JSON.stringify(alarm)}`);
}

/** The recorded requests with what both answer, in the parts that have to be equal. */
async function compareAnswers(): Promise<void> {
  const asked = proxy.calls.splice(0);
  const hashes = new Map<string, string>();
  for (let number = Number((await devnet.client.getBlock()).number); number >= bigChain.head().number - 5; number--) {
    const own = Object(resultOf(bigChain.answer("eth_getBlockByNumber", [numberToHex(number)])));
    if (own.hash === undefined) continue;
    hashes.set((await devnet.client.getBlock({ blockNumber: BigInt(number) })).hash, own.hash);
  }
  for (const { method, params } of asked) {
    if (NOT_COMPARED.has(method)) continue;
    const there = await ask({ method, params });
    let text = JSON.stringify(params);
    for (const [from, to] of hashes) text = text.replaceAll(from, to);
    const here = resultOf(bigChain.answer(method, JSON.parse(text)));
    compare(method, here, there);
  }
}

/** Prices are the chain's own. Slots of the access control differ; that the private variables are the same shows in the state. */
const NOT_COMPARED = new Set(["eth_maxPriorityFeePerGas", "eth_gasPrice", "eth_createAccessList", "eth_chainId"]);

function compare(method: string, here: unknown, there: unknown): void {
  switch (method) {
    case "eth_getCode":
      expect(String(here).length > 2).toBe(String(there).length > 2);
      return;
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      expect(pick(here, ["number", "timestamp"])).toEqual(pick(there, ["number", "timestamp"]));
      return;
    case "eth_getLogs":
      expect(logsIn(here)).toEqual(logsIn(there));
      return;
    case "eth_simulateV1":
      expect(callsIn(here).map(withoutGas)).toEqual(callsIn(there).map(withoutGas));
      for (const [index, { status, gasUsed }] of callsIn(here).entries()) {
        const measured = Number(callsIn(there)[index]?.gasUsed);
        if (status === "0x1") expect(Math.abs(Number(gasUsed) / measured - 1)).toBeLessThan(GAS_ERROR);
      }
      return;
    default:
      expect(here).toEqual(there);
  }
}

type Log = { address: string; topics: string[]; data: string };
type SimulatedCall = { status: string; gasUsed: string; returnData: string; logs: Log[] };

/** The calls of the answer, of both nodes in the form of the specification. */
function callsIn(answer: unknown): SimulatedCall[] {
  return (answer as { calls: SimulatedCall[] }[]).flatMap(({ calls }) => calls);
}

function withoutGas({ status, returnData, logs }: SimulatedCall) {
  return { status, returnData, logs: logsIn(logs) };
}

function logsIn(logs: unknown) {
  return (logs as Log[]).map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data }));
}

function pick(answer: unknown, names: readonly string[]) {
  return names.map((name) => Object(answer)[name]);
}

async function ask(request: Asked): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...request });
  const headers = { "content-type": "application/json" };
  return resultOf(Object(await (await fetch(devnet.url, { method: "POST", headers, body })).json()));
}

function resultOf(answer: { result?: unknown; error?: unknown }): unknown {
  return "result" in answer ? answer.result : answer;
}

test("what a scan asks of a node is answered as anvil does, field by field, and after changes again", async () => {
  const caches = [
    createRemitStateCache(devnet.contract, bulkReads),
    createRemitStateCache(devnet.contract, bulkReads),
  ] as const;
  await compareScans(caches);
  expect(proxy.calls.length).toBeGreaterThan(20);
  await compareAnswers();

  await change([{ do: "fund", place: 479, balance: 0n, allowance: 5n }]);
  await change([{ do: "unsubscribe", place: SPREAD + 3 }]);
  await change([{ do: "cancel", place: 470 }]);
  await change([{ do: "cancel", place: SPREAD + 8 }]);
  await compareScans(caches);
  await compareAnswers();
});

test("a list that is read from storage is that of the view, on both", async () => {
  const { contract, tokens, client, subscriptions } = devnet;
  expect(tokens).toHaveLength(1);
  const [id = "0x"] = Object.values(subscriptions);
  const [, , , , , frequency, dueDay] = await client.readContract({
    ...ofContract(),
    functionName: "idSubMap",
    args: [id],
  });
  const args = [BigInt(frequency), dueDay] as const;
  const ids = await client.readContract({ ...ofContract(), functionName: "getIdByTime", args });
  expect(ids.length).toBeGreaterThan(10);
  for (const url of [devnet.url, bigChain.url]) {
    const reader = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 60_000 });
    const block = await pinBlock(reader);
    expect(await readLongList(reader, { contract, list: { frequency, dueDay }, block })).toEqual([...ids]);
    expect(await readLongList(reader, { contract, list: { frequency: 3, dueDay: 1 }, block })).toEqual([]);
  }
});

test("the views that no scan reads are answered as anvil does", async () => {
  const { contract, subscriptions, client } = devnet;
  const [id = "0x", cancelled = "0x"] = [0, 470].map((place) => Object.values(subscriptions)[place]);
  const [, , , provider = contract] = await client.request({ method: "eth_accounts" });
  const unknown = numberToHex(5n, { size: 32 });
  const [row] = await client.readContract({ ...ofContract(), functionName: "getSubscribersById", args: [id] });
  const subscriber = row?.subscriber ?? contract;
  const reads = [
    ["getAccount", [provider]],
    ["getAccount", [subscriber]],
    ["getAccount", [KEEPER]],
    ["getAccountSubscriptions", [false, provider]],
    ["getAccountSubscriptions", [true, subscriber]],
    ["feeBalance", [id, subscriber]],
    ["feeBalance", [id, provider]],
    ["idSubMap", [unknown]],
    ["idSubMap", [cancelled]],
    ["getSubscribersById", [unknown]],
    ["getIdByTime", [0n, 400]],
    ["getTotalSubscribers", []],
  ] as const;
  for (const [functionName, args] of reads) {
    // Each row has the arguments of its function.
    const data = encodeFunctionData({ abi: protocolAbi, functionName, args } as EncodeFunctionDataParameters);
    const request: Asked = { method: "eth_call", params: [{ to: contract, data }, "latest"] };
    expect(resultOf(bigChain.answer(request.method, request.params))).toEqual(await ask(request));
  }
});

/** Both scans find the same, but for hashes and gas. */
async function compareScans([there, here]: readonly [RemitStateCache, RemitStateCache]) {
  const ofAnvil = await scan(proxy.url, there);
  const own = await scan(bigChain.url, here);
  const outcome = ({ plan, readiness, state, held, ...rest }: typeof own) => ({
    ...rest,
    state: { ...state, subscriptions: sorted(state.subscriptions) },
    held: sorted(held).map(([token, { holdings, ...each }]) => ({ token, ...each, holdings: sorted(holdings) })),
    openDays: readiness.openDays.map((day) => [day, readiness.listsOf(day)]),
    end: plan.end,
    transactions: plan.transactions.map(({ gas: _, ...transaction }) => transaction),
    payments: plan.details?.payments,
  });
  expect(outcome(own)).toEqual(outcome(ofAnvil));
}

/** What is read at the same time may arrive in any order. */
function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The same change on both chains, each in a block of the same number and time. */
async function change(changes: readonly Change[]): Promise<void> {
  const { client, contract, tokens, subscriptions } = devnet;
  const [token = contract] = tokens;
  for (const each of changes) {
    if (each.do === "add") throw new Error("anvil chooses ids itself");
    const id = Object.values(subscriptions)[each.place] ?? "0x";
    const [row] = await client.readContract({ ...ofContract(), functionName: "getSubscribersById", args: [id] });
    const subscriber = row?.subscriber ?? contract;
    const [, , provider] = await client.readContract({ ...ofContract(), functionName: "idSubMap", args: [id] });
    await client.setBalance({ address: subscriber, value: parseEther("1") });
    await send(client, transactionOf(each, { id, subscriber, provider, token, contract }));
    const { number, timestamp } = await client.getBlock();
    bigChain.mine([each], Number(timestamp));
    expect(bigChain.head().number).toBe(Number(number));
  }
}

function ofContract() {
  return { address: devnet.contract, abi: protocolAbi } as const;
}

type Parties = { id: Hex; subscriber: Address; provider: Address; token: Address; contract: Address };

function transactionOf(change: Exclude<Change, { do: "add" }>, { id, subscriber, provider, token, contract }: Parties) {
  switch (change.do) {
    case "fund": {
      const args = [subscriber, contract, change.balance, change.allowance] as const;
      const data = encodeFunctionData({ abi: testTokenAbi, functionName: "fund", args });
      return { from: provider, to: token, data };
    }
    case "unsubscribe":
      return { from: subscriber, to: contract, data: encodeUnsubscribe(onlyId(id)) };
    case "cancel":
      return { from: provider, to: contract, data: encodeCancelSubscription(onlyId(id)) };
  }
}
