import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type RpcStub, STUB_CHAIN_ID, startRpcStub } from "@dueday/chain/test/startRpcStub";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import { onlyId } from "@dueday/devnet/onlyId";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi, parseEther } from "viem";
import { readHead } from "../block/readHead";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { estimateRollupFees, operatorFeeOf, rollupCost } from "../fees/estimateRollupFees";
import { canSimulate } from "./canSimulate";
import { SIMULATED_CALLS_LIMIT, simulateCalls } from "./simulateCalls";

/** Holds neither ether nor tokens. */
const POOR = getAddress("0x00000000000000000000000000000000000d0e00");
const mintAbi = parseAbi(["function mint(address to, uint256 value)"]);

let devnet: Devnet;
let client: ChainClient;
const stubs: RpcStub[] = [];
beforeAll(async () => {
  devnet = await startDevnet({ scenario: missedPayments, now: Date.UTC(2026, 2, 20, 12) / 1000 });
  client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
});
afterAll(() => devnet.stop());
afterEach(async () => {
  for (const stub of stubs.splice(0)) await stub.stop();
});

function subscribing() {
  const [token] = devnet.tokens;
  const id = devnet.subscriptions.monthly2;
  if (token === undefined || id === undefined) throw new Error("the scenario lacks its token or subscription");
  const amount = parseEther("10");
  const mint = encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [POOR, amount] });
  const call = (to: Address, data: `0x${string}`) => ({ from: POOR, to, data });
  return {
    mint: call(token, mint),
    approve: call(token, encodeApprove(devnet.contract, amount)),
    subscribe: call(devnet.contract, encodeSubscribe(onlyId(id))),
  };
}

test("calls run one after another on one state, also for a sender without ether, and a revert stops none", async () => {
  const { mint, approve, subscribe } = subscribing();
  const block = await readHead(client);
  const results = await simulateCalls(client, { calls: [subscribe, mint, approve, subscribe, subscribe], block });
  expect(results.map(({ success, revert, outOfGas }) => [success, revert?.code, outOfGas])).toEqual([
    [false, "10", false],
    [true, undefined, false],
    [true, undefined, false],
    [true, undefined, false],
    [false, expect.any(String), false],
  ]);
  expect(results[3]?.logs.map((log) => decodeTokenEvent(log)?.event)).toContain("Transfer");
  expect(await readHead(client)).toEqual(block);
});

test("a call with too little gas is not taken for a revert", async () => {
  const { mint } = subscribing();
  const [result] = await simulateCalls(client, { calls: [{ ...mint, gas: 30_000n }], block: await readHead(client) });
  expect(result).toMatchObject({ success: false, outOfGas: true });
});

test("more calls than one request may hold are refused without a request", async () => {
  const { mint } = subscribing();
  const calls = Array.from({ length: SIMULATED_CALLS_LIMIT + 1 }, () => mint);
  await expect(simulateCalls(client, { calls, block: await readHead(client) })).rejects.toThrow(RangeError);
});

test("whether the node simulates is read once for some minutes, and is false for a node without the method", async () => {
  const block = await readHead(client);
  expect(await canSimulate(client, { block })).toBe(true);
  const stub = startRpcStub({ answer: () => ({ error: { code: -32601, message: "the method does not exist" } }) });
  stubs.push(stub);
  const other = createChainClient({ chainId: STUB_CHAIN_ID, rpcUrls: [stub.url], requestTimeoutMs: 1_000 });
  expect(await canSimulate(other, { block })).toBe(false);
  expect(await canSimulate(other, { block })).toBe(false);
  expect(stub.exchanges.flat().filter((method) => method === "eth_simulateV1")).toHaveLength(1);
});

test("a chain without the oracle has no rollup fees; one with it has its L1 fee and, where the oracle has it, the operator's", async () => {
  const transaction = { to: devnet.contract, data: "0x", gas: 100_000n } as const;
  const block = await readHead(client);
  expect(await estimateRollupFees(client, { ...transaction, block })).toBeNull();
  const withOracle = async (bytecode: Hex) => {
    await devnet.client.setCode({ address: "0x420000000000000000000000000000000000000F", bytecode });
    await devnet.client.mine({ blocks: 1 });
    const fresh = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
    return estimateRollupFees(fresh, { ...transaction, block: await readHead(fresh) });
  };
  // getL1Fee (a long call) returns 5; getOperatorFee (36 bytes) reverts, as before Isthmus.
  expect(await withOracle("0x36602414601157600560005260206000f35b5f5ffd")).toEqual({
    l1FeeWei: 5n,
    operatorFee: null,
  });
  // Both return their first argument and 5: 37 for getL1Fee (the offset of its bytes), gas + 5 for getOperatorFee.
  const fees = await withOracle("0x60043560050160005260206000f3");
  expect(fees).toEqual({ l1FeeWei: 37n, operatorFee: { constantWei: 5n, weiPerBillionGas: 1_000_000_000n } });
  expect(operatorFeeOf(fees, 100n)).toBe(105n);
  expect(rollupCost(fees, 100n)).toBe(142n);
});
