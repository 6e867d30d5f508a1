import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HOSTILE_NOW, hostileTokens, type Misbehaviour, misbehave } from "@dueday/chain/test/hostileTokens";
import { simulatedCalls } from "@dueday/chain/test/simulatedBlocks";
import { startProxy } from "@dueday/chain/test/startProxy";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { protocolReverts } from "@dueday/core/reverts/protocolReverts";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { onlyId } from "@dueday/devnet/onlyId";
import { readReceipt, send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import {
  type Address,
  concatHex,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  size,
  zeroHash,
} from "viem";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { readSubscriberStatus } from "../reads/readSubscriberStatus";
import { readSubscriptions } from "../reads/readSubscriptions";
import { readTransactionStatus } from "../transactions/readTransactionStatus";
import type { PlanAlarm } from "./planBacklog";
import { readRemitReadiness } from "./readRemitReadiness";
import { createRemitStateCache } from "./state/createRemitStateCache";

// A token that changes its mind once it has subscribers: the days before its own are planned, and it is named.

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: hostileTokens("wrong"), now: HOSTILE_NOW });
});
afterAll(() => devnet.stop());

type Behaviour = Omit<Misbehaviour, "name" | "kind">;

/** Readiness while the token misbehaves, and what a keeper's calls of remit() then do: how many succeed. */
async function readWhile(
  behaviour: Behaviour,
  { url = devnet.url, ...gas }: { url?: string; txGasCap?: bigint | null } = {},
) {
  const { client, contract, keeper } = devnet;
  const snapshot = await client.snapshot();
  try {
    await misbehave(devnet, { kind: "wrong", ...behaviour });
    const alarms: PlanAlarm[] = [];
    const chain = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 20_000, ...gas });
    const block = await pinBlock(chain);
    const readiness = await readRemitReadiness(chain, {
      contract,
      from: keeper.address,
      block,
      stateCache: createRemitStateCache(contract),
      model: "where_needed",
      onAlarm: (alarm) => alarms.push(alarm),
    });
    let mined = 0;
    for (; mined < readiness.expectedTransactions; mined++) {
      await send(client, { from: keeper.address, to: contract, data: encodeRemit() });
    }
    return { readiness, alarms };
  } finally {
    await client.revert({ id: snapshot });
  }
}

/** A program that reverts every call with a reason. */
function revertsWith(reason: string): Hex {
  const data = encodeErrorResult({ abi: parseAbi(["error Error(string)"]), args: [reason] });
  const [length, offset] = [numberToHex(size(data), { size: 1 }), numberToHex(10, { size: 1 })];
  // CODECOPY of what follows the program, then REVERT.
  return concatHex(["0x60", length, "0x60", offset, "0x5f3960", length, "0x5ffd", data]);
}

test("the token that behaves lets everything be settled", async () => {
  const { readiness, alarms } = await readWhile({ mode: 0n });
  expect(alarms).toEqual([]);
  expect(readiness).toMatchObject({ reason: "due", expectedTransactions: 4, plan: { end: "caught_up" } });
});

describe("a token that stops remit() is named, after the transactions of the days before it", () => {
  const misbehaviours: [string, Behaviour, { code: string; name: string }][] = [
    ["uses up its gas at once", { mode: 1n }, { code: "", name: "OUT_OF_GAS" }],
    ["loops until its gas is used up", { mode: 2n }, { code: "", name: "OUT_OF_GAS" }],
    ...Object.keys(protocolReverts).map((code): [string, Behaviour, { code: string; name: string }] => [
      `reverts with the protocol's ${code}`,
      { mode: 3n, reason: code },
      { code, name: "TOKEN_REASON" },
    ]),
    ["returns false", { mode: 5n }, { code: "SafeERC20FailedOperation", name: "SafeERC20FailedOperation" }],
    ["calls remit() again", { mode: 6n }, { code: "19", name: "TOKEN_REASON" }],
    ["reverts with a word", { mode: 3n, reason: "no" }, { code: "no", name: "TOKEN_REASON" }],
  ];
  for (const [name, misbehaviour, revert] of misbehaviours) {
    test(name, async () => {
      const { readiness, alarms } = await readWhile(misbehaviour);
      expect(alarms).toEqual([]);
      expect(readiness).toMatchObject({ reason: "due", expectedTransactions: 2, totalPayments: 4 });
      expect(readiness.plan).toMatchObject({ complete: true, end: "blocked" });
      expect(readiness.blockedBy).toMatchObject({ id: devnet.subscriptions.hostile, token: devnet.tokens[1], revert });
    });
  }
});

test("a token that reverts with the protocol's 3 or 9 does not decide who is subscribed", async () => {
  const { client, contract, subscriptions } = devnet;
  const [subscriber, ...others] = (await client.request({ method: "eth_accounts" })).slice(4);
  const stranger = others.at(-1);
  const id = subscriptions.hostile;
  if (!subscriber || !stranger || !id) throw new Error("the scenario is too small");
  const chain = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
  const snapshot = await client.snapshot();
  try {
    for (const reason of ["3", "9"]) {
      await misbehave(devnet, { kind: "wrong", mode: 3n, reason });
      const block = await pinBlock(chain);
      const record = (await readSubscriptions(chain, { contract, ids: [id], block })).get(id);
      if (!record) throw new Error("the subscription is not known");
      const statuses = [subscriber, stranger].map((account) =>
        readSubscriberStatus(chain, { contract, record, account: getAddress(account), block }),
      );
      expect(await Promise.all(statuses)).toEqual(["active", "stranger"]);
    }
  } finally {
    await client.revert({ id: snapshot });
  }
});

describe("a mined transaction that a token reverted with one of the protocol's numbers has the token's reason", () => {
  /** The reason of a transaction that fails while the token misbehaves as given. */
  async function reasonOf({ reason, ...call }: { reason: string; data: Hex; from: Address }) {
    await misbehave(devnet, { kind: "wrong", mode: 3n, reason });
    return failureOf(call);
  }

  async function failureOf({ data, from }: { data: Hex; from: Address }) {
    const { client, contract } = devnet;
    const call = { from, to: contract, data, gas: numberToHex(10_000_000n) };
    const hash = await client.request({ method: "eth_sendTransaction", params: [call] });
    expect((await readReceipt(client, hash)).status).toBe("0x0");
    const chain = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
    const status = await readTransactionStatus(chain, { contract, hash, head: await pinBlock(chain) });
    return status.revert;
  }

  test.each(Object.keys(protocolReverts))("remit() and %s", async (reason) => {
    const { client, contract, keeper } = devnet;
    const snapshot = await client.snapshot();
    try {
      const call = { from: keeper.address, data: encodeRemit() };
      for (let index = 0; index < 2; index++) await send(client, { ...call, to: contract });
      expect(await reasonOf({ ...call, reason })).toMatchObject({ code: reason, name: "TOKEN_REASON" });
    } finally {
      await client.revert({ id: snapshot });
    }
  });

  test.each(["8", "9", "10", "23"])("an unsubscribe and %s", async (reason) => {
    const { client, contract, subscriptions } = devnet;
    const subscriber = (await client.request({ method: "eth_accounts" }))[4];
    const id = subscriptions.hostile;
    if (!subscriber || !id) throw new Error("the scenario is too small");
    const chain = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
    const record = (await readSubscriptions(chain, { contract, ids: [id], block: await pinBlock(chain) })).get(id);
    if (!record) throw new Error("the subscription is not known");
    const snapshot = await client.snapshot();
    try {
      // The contract uses only the id, so the calldata may name another token.
      const byToken = { reason, from: subscriber, data: encodeUnsubscribe(onlyId(id)) };
      expect(await reasonOf(byToken)).toMatchObject({ code: reason, name: "TOKEN_REASON" });
      const byProtocol = {
        reason,
        from: subscriber,
        data: encodeUnsubscribeByProvider(record, getAddress(subscriber)),
      };
      expect(await reasonOf(byProtocol)).toMatchObject({ code: "8", name: "NOT_THE_PROVIDER" });
    } finally {
      await client.revert({ id: snapshot });
    }
  });

  test.each(["3", "22"])("the janitor's cleaning of a cancelled subscription and %s", async (reason) => {
    const { client, contract, subscriptions } = devnet;
    const [, janitor, , provider] = await client.request({ method: "eth_accounts" });
    if (!janitor || !provider || !subscriptions.hostile) throw new Error("the scenario is too small");
    const clean = (id: Hex) =>
      encodeFunctionData({ abi: adminAbi, functionName: "cleanupCancelledSubscribers", args: [onlyId(id)] });
    const snapshot = await client.snapshot();
    try {
      const cancel = encodeCancelSubscription(onlyId(subscriptions.hostile));
      await send(client, { from: provider, to: contract, data: cancel });
      const byToken = { reason, from: janitor, data: clean(subscriptions.hostile) };
      expect(await reasonOf(byToken)).toMatchObject({ code: reason, name: "TOKEN_REASON" });
      const byProtocol = { from: janitor, data: clean(zeroHash) };
      expect(await failureOf(byProtocol)).toMatchObject({ code: "3", name: "UNKNOWN_OR_UNSUBSCRIBED" });
    } finally {
      await client.revert({ id: snapshot });
    }
  });

  test("a token of which every call reverts, views too", async () => {
    const { client, contract, keeper, tokens, subscriptions } = devnet;
    const stranger = (await client.request({ method: "eth_accounts" })).at(-1);
    const [, token] = tokens;
    if (!stranger || !token || !subscriptions.hostile) throw new Error("the scenario is too small");
    const subscribe = encodeSubscribe(onlyId(subscriptions.hostile));
    const snapshot = await client.snapshot();
    try {
      const remit = { from: keeper.address, data: encodeRemit() };
      for (let index = 0; index < 2; index++) await send(client, { ...remit, to: contract });
      for (const [reason, call] of [
        ["6", remit],
        ["25", { from: stranger, data: subscribe }],
        ["10", { from: stranger, data: subscribe }],
      ] as const) {
        await client.setCode({ address: token, bytecode: revertsWith(reason) });
        expect(await failureOf(call)).toMatchObject({ code: reason, name: "TOKEN_REASON" });
      }
    } finally {
      await client.revert({ id: snapshot });
    }
  });

  test("a wallet without allowance has the protocol's 10", async () => {
    const { keeper, subscriptions } = devnet;
    if (!subscriptions.hostile) throw new Error("the scenario is too small");
    const call = { from: keeper.address, data: encodeSubscribe(onlyId(subscriptions.hostile)) };
    expect(await failureOf(call)).toMatchObject({ code: "10", name: "INSUFFICIENT_ALLOWANCE_OR_BALANCE" });
  });
});

test("gas that a node's own limit leaves for a call, and that its payments do not need, is used up by the token as well", async () => {
  // As geth does it: a request has 50 million gas in all, and a call gets what is left of them.
  const proxy = startProxy(devnet.url, ({ method, params }) => {
    if (method !== "eth_simulateV1") return null;
    let left = 50_000_000n;
    for (const call of simulatedCalls(params)) {
      if (BigInt(call.gas) > left) call.gas = numberToHex(left);
      left -= BigInt(call.gas) / 2n;
    }
    return null;
  });
  try {
    const { readiness } = await readWhile({ mode: 1n }, { url: proxy.url });
    expect(readiness).toMatchObject({ expectedTransactions: 2, plan: { end: "blocked" } });
    expect(readiness.blockedBy).toMatchObject({ token: devnet.tokens[1], revert: { name: "OUT_OF_GAS" } });
  } finally {
    await proxy.stop();
  }
});

test("the transaction after the last that a node simulates by itself is simulated too, before the model goes on", async () => {
  const proxy = startProxy(devnet.url, ({ method, params }) => {
    if (method !== "eth_simulateV1") return null;
    return simulatedCalls(params).length > 3 ? { code: -38026, message: "client limit exceeded" } : null;
  });
  try {
    const { readiness } = await readWhile({ mode: 1n }, { url: proxy.url });
    expect(readiness).toMatchObject({ expectedTransactions: 2, plan: { end: "blocked" } });
    expect(readiness.blockedBy).toMatchObject({ revert: { name: "OUT_OF_GAS" } });
  } finally {
    await proxy.stop();
  }
});

test("a token whose transfers are costly is planned with the gas that it takes, and so are the days around it", async () => {
  const { readiness, alarms } = await readWhile({ mode: 4n, burnt: 8_000_000n }, { txGasCap: null });
  expect(alarms).toEqual([]);
  expect(readiness).toMatchObject({
    reason: "due",
    expectedTransactions: 4,
    plan: { end: "caught_up", complete: true },
  });
  expect(Number(readiness.plan.transactions[2]?.gasUsed)).toBeGreaterThan(16_000_000);
});

test("where a page needs more gas than a transaction may have, the plan is blocked by the cap; near it there is a warning", async () => {
  const { readiness } = await readWhile({ mode: 0n });
  const dearest = BigInt(Math.max(...readiness.plan.transactions.map(({ gasUsed }) => Number(gasUsed))));
  expect(readiness.warnings.map(({ code }) => code)).not.toContain("GAS_CAP_NEAR");
  const near = await readWhile({ mode: 0n }, { txGasCap: (dearest * 12n) / 10n });
  expect(near.readiness.plan.end).toBe("caught_up");
  expect(near.readiness.warnings.map(({ code }) => code)).toContain("GAS_CAP_NEAR");
  const beyond = await readWhile({ mode: 0n }, { txGasCap: dearest / 2n });
  expect(beyond.readiness).toMatchObject({ reason: "blocked", expectedTransactions: 0, plan: { end: "blocked" } });
  expect(beyond.readiness.blockedBy).toMatchObject({ reason: "gas_cap", revert: { name: "OUT_OF_GAS" } });
  expect([...near.alarms, ...beyond.alarms]).toEqual([]);
});

test("a node that simulates too slowly gets two requests, the second for one call; then the plan is the model's, with an alarm", async () => {
  const counts: number[] = [];
  const slow = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      // Sent by our own client, in the form of JSON-RPC.
      const asked = [JSON.parse(body)].flat() as { method: string; params: unknown[] }[];
      const simulation = asked.find(({ method }) => method === "eth_simulateV1");
      if (simulation !== undefined) {
        counts.push(simulatedCalls(simulation.params).length);
        return new Promise<Response>(() => {});
      }
      const answer = await fetch(devnet.url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return new Response(await answer.text());
    },
  });
  try {
    const { contract, keeper } = devnet;
    const alarms: PlanAlarm[] = [];
    const chain = createChainClient({ chainId: 31337, rpcUrls: [slow.url.href], requestTimeoutMs: 4_000 });
    const readiness = await readRemitReadiness(chain, {
      contract,
      from: keeper.address,
      block: await pinBlock(chain),
      model: "where_needed",
      stateCache: createRemitStateCache(contract),
      onAlarm: (alarm) => alarms.push(alarm),
    });
    expect(readiness).toMatchObject({ expectedTransactions: 4, plan: { source: "modelled", end: "caught_up" } });
    expect(alarms.map(({ kind }) => kind)).toEqual(["simulation_too_slow"]);
    expect(counts).toEqual([24, 1]);
  } finally {
    await slow.stop(true);
  }
});
