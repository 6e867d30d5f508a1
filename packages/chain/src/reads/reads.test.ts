import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployMulticall, MULTICALL } from "@dueday/chain/test/deployMulticall";
import { dueParameters } from "@dueday/chain/test/dueParameters";
import { type StubRequest, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { startSpoiledNode } from "@dueday/chain/test/startSpoiledNode";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { DueDay } from "@dueday/core/snapshots/dueDay";
import { ProtocolState } from "@dueday/core/snapshots/protocolState";
import { deployPeculiarToken, type PeculiarToken } from "@dueday/devnet/deployToken";
import { onlyId } from "@dueday/devnet/onlyId";
import { demo } from "@dueday/devnet/scenarios/demo";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { send } from "@dueday/devnet/send";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { Value } from "@sinclair/typebox/value";
import { type Address, type Hex, parseAbi, toFunctionSelector, zeroAddress } from "viem";
import { pinBlock } from "../block/pinBlock";
import { readHead } from "../block/readHead";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { readDueDays } from "../due/readDueDays";
import { contractRead } from "./contractRead";
import { readApprovedTokens } from "./readApprovedTokens";
import { readMany } from "./readMany";
import { readProtocolState } from "./readProtocolState";
import { readSettings } from "./readSettings";
import { readTokenInfos } from "./readTokenInfos";

const NOW = Date.UTC(2026, 2, 20, 12) / 1000;
const TODAY = dayNumber(NOW);
let demoNet: Devnet;
let smallNet: Devnet;
beforeAll(async () => {
  demoNet = await startDevnet({ scenario: demo, now: NOW });
  smallNet = await startDevnet({ scenario: missedPayments, now: NOW });
});
afterAll(async () => {
  await demoNet.stop();
  await smallNet.stop();
});

function clientOf({ url }: Devnet, methods: string[] = []): ChainClient {
  return createChainClient({
    chainId: 31337,
    rpcUrls: [url],
    requestTimeoutMs: 20_000,
    onRequest: ({ method }) => methods.push(method),
  });
}

describe("the protocol's figures", () => {
  test("fit their schema and equal what the contract returns", async () => {
    const client = clientOf(demoNet);
    const state = await readProtocolState(client, { contract: demoNet.contract, block: await readHead(client) });
    expect([...Value.Errors(ProtocolState, state)]).toEqual([]);
    expect(state).toMatchObject({ currentDay: TODAY, callerFee: 10_200, callerFeePercent: "2", maxRemits: 10 });
    expect(state.nextUncheckedDate).toBe("2026-03-14");
  });

  test("of an address without code are UPSTREAM_ERROR, not zeros", async () => {
    const client = clientOf(demoNet);
    const contract: Address = "0x00000000000000000000000000000000000c0de0";
    const read = readProtocolState(client, { contract, block: await readHead(client) });
    await expect(read).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
  });
});

describe("tokens", () => {
  const peculiar: PeculiarToken[] = [
    { file: "BareTokens", contract: "Bytes32SymbolToken" },
    { file: "BareTokens", contract: "NoSymbolToken" },
    { file: "OddTokens", contract: "HostileSymbolToken" },
  ];

  test("have the decimals of the protocol's record, and text of any kind or none", async () => {
    const [from] = await demoNet.client.request({ method: "eth_accounts" });
    if (from === undefined) throw new Error("the node has no accounts");
    const odd: Address[] = [];
    for (const token of peculiar) odd.push(await deployPeculiarToken(demoNet.client, from, token));
    const client = clientOf(demoNet);
    const block = await readHead(client);
    const tokens = [...demoNet.tokens, ...odd];
    const answer = await readApprovedTokens(client, { contract: demoNet.contract, tokens, block });
    expect([...Value.Errors(ApprovedTokens, answer)]).toEqual([]);
    expect(
      answer.tokens.slice(0, 4).map(({ symbol, decimals, approved, paused }) => [symbol, decimals, approved, paused]),
    ).toEqual([
      ["HUSD", 6, true, false],
      ["MRD", 18, true, false],
      ["OAK", 8, true, false],
      ["LGC", expect.any(Number), true, true],
    ]);
    const [bytes32, none, hostile] = answer.tokens.slice(4);
    expect(bytes32).toMatchObject({ symbol: "B32", name: "Bytes32 symbol", approved: false, decimals: 18 });
    expect(none).toMatchObject({ symbol: `${odd[1]?.slice(0, 6)}…${odd[1]?.slice(-4)}`, name: "" });
    expect(new TextEncoder().encode(hostile?.symbol).length).toBeLessThanOrEqual(64);
    expect(hostile?.symbol).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  test("are read once", async () => {
    const methods: string[] = [];
    const client = clientOf(demoNet, methods);
    const parameters = { contract: demoNet.contract, tokens: demoNet.tokens, block: await readHead(client) };
    const first = await readTokenInfos(client, parameters);
    methods.length = 0;
    expect(await readTokenInfos(client, parameters)).toEqual(first);
    expect(methods).toEqual([]);
  });
});

describe("due days", () => {
  test("of 36 days are read again in a handful of HTTP requests and fit their schema", async () => {
    const recorder = startRpcStub({ respond: (requests) => forward(demoNet.url, requests) });
    const client = clientOf({ ...demoNet, url: recorder.url });
    const block = await readHead(client);
    const days = Array.from({ length: 36 }, (_, offset) => TODAY + offset);
    const parameters = { ...dueParameters(demoNet.contract), contract: demoNet.contract, days, block };
    await readDueDays(client, parameters);
    const before = recorder.exchanges.length;
    const due = await readDueDays(client, parameters);
    await recorder.stop();
    expect(recorder.exchanges.length - before).toBeLessThan(10);
    expect(due.map((day) => day.dayNumber)).toEqual(days);
    for (const day of due) expect([...Value.Errors(DueDay, day)]).toEqual([]);
    const skipped = due.flatMap((day) => day.lists.filter((list) => list.skipped));
    expect(skipped.map((list) => list.dueDay)).toEqual([29, 30, 31]);
    const reasons = new Set(
      due.flatMap((day) => day.lists.flatMap((list) => list.subscriptions.map((each) => each.reason))),
    );
    expect(reasons.has("cancelled")).toBe(true);
    expect(reasons.has("token_paused")).toBe(true);
  });

  test("sum what remit() will charge, by token, without what the paging misses", async () => {
    const client = clientOf(smallNet);
    const [day] = await readDueDays(client, {
      ...dueParameters(smallNet.contract),
      contract: smallNet.contract,
      days: [TODAY],
      block: await readHead(client),
    });
    expect(day?.totals).toMatchObject({ subscriptions: 2, payments: 3 });
    expect(day?.missed).toMatchObject({ subscriptions: 2, payments: 2 });
    expect(day?.totals.byToken).toEqual([
      expect.objectContaining({ symbol: "HUSD", amount: "30", subscriptions: 2, payments: 3 }),
    ]);
  });

  test("are refused where the contract's answer on its admin is broken: without the plan every subscriber would count as paying", async () => {
    const defaultAdmin = toFunctionSelector("function defaultAdmin()");
    const node = startSpoiledNode(demoNet.url, ({ params: [call] }) =>
      JSON.stringify(call ?? null).includes(defaultAdmin) ? { result: "0x" } : null,
    );
    try {
      const client = clientOf({ ...demoNet, url: node.open(null).url });
      const parameters = { ...dueParameters(demoNet.contract), contract: demoNet.contract, days: [TODAY] };
      const read = readDueDays(client, { ...parameters, block: await readHead(client) });
      await expect(read).rejects.toMatchObject({ code: "UPSTREAM_ERROR", details: { read: "defaultAdmin" } });
    } finally {
      await node.stop();
    }
  });

  test("count active subscribers also where the contract's own view reverts", async () => {
    const { client: devnet, contract, subscriptions, keeper } = smallNet;
    const weekly = subscriptions.weekly;
    const accounts = await devnet.request({ method: "eth_accounts" });
    const [first, second] = accounts.slice(4);
    if (weekly === undefined || first === undefined || second === undefined)
      throw new Error("the scenario lacks its weekly id");
    const snapshot = await devnet.snapshot();
    try {
      await send(devnet, { from: keeper.address, to: contract, data: encodeRemit() });
      const leave = (from: Address) => send(devnet, { from, to: contract, data: encodeUnsubscribe(onlyId(weekly)) });
      // The entry on the list lies before an active one: the view writes beyond its rows.
      await leave(first);
      const client = clientOf(smallNet);
      const view = contractRead({
        address: contract,
        abi: protocolAbi,
        functionName: "getSubscribersById",
        args: [weekly],
      });
      const [rows] = await readMany(client, [view], await readHead(client));
      expect(rows).toMatchObject({ ok: false, revert: { code: "Panic(50)" } });
      const one = await readDueDays(client, {
        ...dueParameters(contract),
        contract,
        days: [TODAY],
        block: await readHead(client),
      });
      expect(subscribersOf(one, weekly)).toBe(1);
      await leave(second);
      const none = await readDueDays(client, {
        ...dueParameters(contract),
        contract,
        days: [TODAY],
        block: await readHead(client),
      });
      expect(subscribersOf(none, weekly)).toBe(0);
    } finally {
      await devnet.revert({ id: snapshot });
    }
  });
});

function forward(url: string, requests: StubRequest[]): Promise<Response> {
  const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

function subscribersOf(days: readonly DueDay[], id: Hex): number | undefined {
  const all = days.flatMap((day) => day.lists.flatMap((list) => list.subscriptions));
  return all.find((subscription) => subscription.id === id)?.subscribers;
}

describe("reads of one block", () => {
  const abi = parseAbi(["function getIdByTime(uint256 frequency, uint16 dueDay) view returns (bytes32[])"]);

  test("stay on it while the chain goes on", async () => {
    const client = clientOf(demoNet);
    const block = await readHead(client);
    const before = await readProtocolState(client, { contract: demoNet.contract, block });
    await send(demoNet.client, { from: demoNet.keeper.address, to: demoNet.contract, data: encodeRemit() });
    expect(await readProtocolState(client, { contract: demoNet.contract, block })).toEqual(before);
    const after = await readProtocolState(client, { contract: demoNet.contract, block: await readHead(client) });
    expect(after.nextUncheckedDay).toBe(before.nextUncheckedDay + 1);
  });

  test("are the same through Multicall3, through a program in its place, and one by one, reverts included", async () => {
    const { contract, tokens } = smallNet;
    const lists = [0n, 1n, 4n, 9n].map((frequency) =>
      contractRead({ address: contract, abi, functionName: "getIdByTime", args: [frequency, 5] }),
    );
    const [token = contract] = tokens;
    const reads = [
      ...lists,
      // Neither a contract nor a view of this one; then an answer that is not a whole number of words, and an error with data.
      contractRead({ address: zeroAddress, abi, functionName: "getIdByTime", args: [0n, 5] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "symbol", args: [] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [contract] }),
    ];
    const alone = startSpoiledNode(smallNet.url, ({ params: [call] }) =>
      Object(call).to === MULTICALL ? { error: { code: -32602, message: "too many arguments" } } : null,
    );
    const snapshot = await smallNet.client.snapshot();
    try {
      const readAt = async (client: ChainClient) => readMany(client, reads, await readHead(client));
      const expected = await readAt(clientOf({ ...smallNet, url: alone.open(null).url }));
      expect(expected.map((result) => result.ok)).toEqual([true, true, false, false, false, true, true]);
      const calls = async () => {
        const methods: string[] = [];
        expect(await readAt(clientOf(smallNet, methods))).toEqual(expected);
        return methods.filter((method) => method === "eth_call").length;
      };
      // Whether the node takes the program, one for all, and each that failed without a reason alone.
      expect(await calls()).toBe(5);
      await deployMulticall(smallNet);
      expect(await calls()).toBe(4);
    } finally {
      await smallNet.client.revert({ id: snapshot });
      await alone.stop();
    }
  });
});

describe("settings", () => {
  test("are what the reads of the protocol and of its tokens return, in one call where the chain has Multicall3", async () => {
    const { contract, tokens } = demoNet;
    const client = clientOf(demoNet);
    const block = await readHead(client);
    const expected = {
      protocol: await readProtocolState(client, { contract, block }),
      approved: await readApprovedTokens(client, { contract, tokens, block }),
    };
    expect(await readSettings(client, { contract, tokens, block })).toEqual(expected);
    const snapshot = await demoNet.client.snapshot();
    try {
      await deployMulticall(demoNet);
      const methods: string[] = [];
      const fresh = clientOf(demoNet, methods);
      const read = await readSettings(fresh, { contract, tokens, block: await readHead(fresh) });
      expect(read).toEqual(expected);
      expect(methods.filter((method) => method === "eth_call")).toHaveLength(1);
    } finally {
      await demoNet.client.revert({ id: snapshot });
    }
  });
});

describe("the pinned block", () => {
  test("is the head, unless a second later is the next UTC day: then its parent", async () => {
    const { client: devnet } = smallNet;
    const snapshot = await devnet.snapshot();
    try {
      const client = clientOf(smallNet);
      expect(await pinBlock(client)).toEqual(await readHead(client));
      const before = await readHead(client);
      await devnet.setNextBlockTimestamp({ timestamp: BigInt((TODAY + 1) * 86_400 - 1) });
      await devnet.mine({ blocks: 1 });
      expect((await readHead(client)).number).toBe(before.number + 1n);
      expect(await pinBlock(client)).toEqual(before);
    } finally {
      await devnet.revert({ id: snapshot });
    }
  });
});
