import { afterAll, beforeAll, expect, test } from "bun:test";
import { devnetChain } from "@dueday/devnet/devnetChain";
import { type Anvil, startAnvil } from "@dueday/devnet/startAnvil";
import { testAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { createWalletClient, custom, type EIP1193RequestFn, type Hex, http, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { CheckedTransaction } from "./checkPrepared";
import { sendTransactions } from "./sendTransactions";

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ noMining: true });
});
afterAll(() => anvil.stop());

const recipient = testAccount(5).address;
const transaction = (data: Hex): CheckedTransaction => ({ chainId: devnetChain.id, to: recipient, data, value: 0n });
const transactions = [transaction("0x1234"), transaction("0x5678")];

/** A wallet client whose requests pass through `answer` first; where that has no answer, they are the node's. */
function walletAt(answer: (method: string, params: unknown) => unknown = () => undefined) {
  const node = createWalletClient({ transport: http(anvil.url) });
  // Any method of the node, as a wallet passes it on.
  const ask = node.request as (request: { method: string; params?: unknown }) => Promise<unknown>;
  const methods: string[] = [];
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    methods.push(method);
    return (await answer(method, params)) ?? ask({ method, params });
  };
  // The type of a provider lists the methods that viem knows.
  const transport = custom({ request: request as EIP1193RequestFn });
  return { wallet: createWalletClient({ transport, pollingInterval: 10 }), methods, ask };
}

/** The next transactions of an account, the first of them replaced in the pool, then mined. */
async function sendAndReplace(index: number, replacement: { to: Hex; data?: Hex }) {
  const account = privateKeyToAccount(testAccount(index).privateKey);
  const { wallet, methods, ask } = walletAt();
  const hashes: string[] = [];
  const result = sendTransactions(wallet, transactions, { account, onSent: (hash) => hashes.push(hash) }).then(
    (receipts) => ({ receipts, error: null }),
    (error: unknown) => ({ receipts: [], error }),
  );
  // A transaction that was never seen in the pool can't be recognised as replaced.
  await waitUntil("the transaction to be watched", () => methods.includes("eth_getTransactionByHash"));
  const fees = { maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 20_000_000_000n };
  await wallet.sendTransaction({ account, chain: devnetChain, ...fees, ...replacement, nonce: 0 });
  await ask({ method: "anvil_mine", params: ["0x1"] });
  return { hashes, result, ask };
}

test("a transaction that its owner cancels in the wallet is a failure, and the next one is not sent", async () => {
  const { address } = testAccount(6);
  const { hashes, result } = await sendAndReplace(6, { to: address });
  expect(await result).toMatchObject({
    error: { code: "TRANSACTION_FAILED", message: expect.stringContaining("replaced") },
  });
  expect(hashes).toHaveLength(1);
});

test("a transaction whose gas price its owner raises is followed to its receipt, and the next one is sent", async () => {
  const { hashes, result, ask } = await sendAndReplace(7, { to: recipient, data: "0x1234" });
  await waitUntil("the second transaction", () => hashes.length === 2);
  await ask({ method: "anvil_mine", params: ["0x1"] });
  const { receipts, error } = await result;
  expect(error).toBeNull();
  expect(receipts.map(({ transactionHash }) => transactionHash === hashes[0])).toEqual([false, false]);
  // The wallet takes no batch, so what `onSent` gets is the hash of a transaction.
  expect(receipts[1]?.transactionHash).toBe(hashes[1] as Hex);
});

test("nothing is sent where the wallet has gone to another chain since, although its client knows no chain", async () => {
  const { wallet, methods } = walletAt((method) => (method === "eth_chainId" ? toHex(8453) : undefined));
  const sent = sendTransactions(wallet, [transaction("0x1234")], { account: testAccount(8).address });
  await expect(sent).rejects.toThrow("does not match the target chain");
  expect(methods).not.toContain("eth_sendTransaction");
});

test("a batch names its chain, although the wallet's client knows none", async () => {
  const batches: unknown[] = [];
  const { wallet } = walletAt((method, params) => {
    if (method === "wallet_getCapabilities") return { [toHex(devnetChain.id)]: { atomic: { status: "supported" } } };
    if (method === "wallet_sendCalls") {
      batches.push(params);
      return { id: "0x01" };
    }
    if (method !== "wallet_getCallsStatus") return undefined;
    return { version: "2.0.0", id: "0x01", chainId: toHex(devnetChain.id), atomic: true, status: 200, receipts: [] };
  });
  expect(await sendTransactions(wallet, transactions, { account: testAccount(9).address })).toEqual([]);
  expect(batches).toMatchObject([[{ chainId: toHex(devnetChain.id) }]]);
});

test.each([true, false])(
  "a paymaster is named to a wallet that takes one, with a single call too (takes one: %p)",
  async (supported) => {
    const batches: unknown[] = [];
    const { wallet, methods } = walletAt((method, params) => {
      if (method === "wallet_getCapabilities") return { [toHex(devnetChain.id)]: { paymasterService: { supported } } };
      if (method === "eth_sendTransaction") throw new Error("the wallet pays itself");
      if (method === "wallet_sendCalls") {
        batches.push(params);
        return { id: "0x01" };
      }
      if (method !== "wallet_getCallsStatus") return undefined;
      return { version: "2.0.0", id: "0x01", chainId: toHex(devnetChain.id), atomic: true, status: 200, receipts: [] };
    });
    const url = "https://paymaster.example/rpc";
    const options = { account: testAccount(9).address, paymasterUrl: url };
    const sent = await sendTransactions(wallet, [transaction("0x1234")], options).then(
      () => "sponsored",
      () => "not sponsored",
    );
    expect(sent).toBe(supported ? "sponsored" : "not sponsored");
    expect(batches).toMatchObject(supported ? [[{ capabilities: { paymasterService: { url } } }]] : []);
    expect(methods.includes("eth_sendTransaction")).toBe(!supported);
  },
);
