import { afterAll, describe, expect, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { type Address, encodeFunctionData, parseAbi } from "viem";
import { testTokenAbi } from "./abi/testTokenAbi";
import { createDevnetClient } from "./client";
import { deployPeculiarToken, deployToken, type PeculiarToken } from "./deployToken";
import { send, TransactionReverted } from "./send";
import { startAnvil } from "./startAnvil";

const anvil = await startAnvil();
afterAll(() => anvil.stop());
const client = createDevnetClient(anvil.url);
const [owner, other] = await client.request({ method: "eth_accounts" });
if (!owner || !other) throw new Error("the node has no accounts");

const transferAbi = parseAbi([
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
]);

const deployPeculiar = (token: PeculiarToken) => deployPeculiarToken(client, owner, token);
const transfer = (token: Address, value: bigint) =>
  send(client, {
    from: owner,
    to: token,
    data: encodeFunctionData({ abi: transferAbi, functionName: "transfer", args: [other, value] }),
  });
const call = (token: Address, functionName: "mint" | "burn", value: bigint) =>
  send(client, {
    from: owner,
    to: token,
    data: encodeFunctionData({ abi: testTokenAbi, functionName, args: [owner, value] }),
  });
const balanceOf = (token: Address, account: Address) =>
  client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] });
const symbolOf = (token: Address) => client.readContract({ address: token, abi: erc20Abi, functionName: "symbol" });

describe("a test token", () => {
  test("has the given decimals, and any account can mint and burn", async () => {
    const token = await deployToken(client, owner, { name: "Any", symbol: "ANY", decimals: 24 });
    expect(await client.readContract({ address: token, abi: erc20Abi, functionName: "decimals" })).toBe(24);
    await call(token, "mint", 100n);
    await call(token, "burn", 30n);
    await transfer(token, 20n);
    expect([await balanceOf(token, owner), await balanceOf(token, other)]).toEqual([50n, 20n]);
  });

  test("reverts transfers of a blocked address", async () => {
    const token = await deployToken(client, owner, { name: "Any", symbol: "ANY", decimals: 6 });
    const data = encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [other, true] });
    await send(client, { from: owner, to: token, data });
    await expect(transfer(token, 0n)).rejects.toThrow(TransactionReverted);
  });
});

describe("each peculiar token behaves as its name states", () => {
  test("a reverting transferFrom", async () => {
    const token = await deployPeculiar({ file: "OddTokens", contract: "RevertingToken" });
    const data = encodeFunctionData({ abi: transferAbi, functionName: "transferFrom", args: [owner, other, 0n] });
    await expect(send(client, { from: owner, to: token, data })).rejects.toThrow(TransactionReverted);
  });

  test("a fee on transfer", async () => {
    const token = await deployPeculiar({ file: "OddTokens", contract: "FeeOnTransferToken" });
    await call(token, "mint", 100n);
    await transfer(token, 100n);
    expect(await balanceOf(token, other)).toBe(99n);
  });

  test("a non-zero allowance can only be set to zero", async () => {
    const token = await deployPeculiar({ file: "OddTokens", contract: "NoAllowanceChangeToken" });
    const approve = (value: bigint) => send(client, { from: owner, to: token, data: encodeApprove(other, value) });
    await approve(5n);
    await expect(approve(6n)).rejects.toThrow(TransactionReverted);
    await approve(0n);
    await approve(6n);
  });

  test("no transfers of zero", async () => {
    const token = await deployPeculiar({ file: "OddTokens", contract: "NoZeroTransferToken" });
    await expect(transfer(token, 0n)).rejects.toThrow(TransactionReverted);
  });

  test("a hostile symbol", async () => {
    const token = await deployPeculiar({ file: "OddTokens", contract: "HostileSymbolToken" });
    expect(await symbolOf(token)).toContain("\u001b[31mUSD\u202e\u0000");
  });

  test("a symbol of type bytes32, and no symbol", async () => {
    const bytes32 = await deployPeculiar({ file: "BareTokens", contract: "Bytes32SymbolToken" });
    const none = await deployPeculiar({ file: "BareTokens", contract: "NoSymbolToken" });
    await expect(symbolOf(bytes32)).rejects.toThrow();
    await expect(symbolOf(none)).rejects.toThrow();
    const abi = parseAbi(["function symbol() view returns (bytes32)"]);
    const symbol = await client.readContract({ address: bytes32, abi, functionName: "symbol" });
    expect(Buffer.from(symbol.slice(2, 8), "hex").toString()).toBe("B32");
  });

  test("no return value", async () => {
    const token = await deployPeculiar({ file: "BareTokens", contract: "NoReturnToken" });
    const data = encodeFunctionData({ abi: transferAbi, functionName: "transfer", args: [other, 0n] });
    expect((await client.call({ account: owner, to: token, data })).data).toBeUndefined();
  });
});
