import { afterAll, expect, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { createDevnetClient } from "@dueday/devnet/client";
import { deployPeculiarToken, deployToken } from "@dueday/devnet/deployToken";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { testAccount } from "@dueday/devnet/testAccount";
import { type Address, numberToHex } from "viem";
import { pinBlock } from "../block/pinBlock";
import { createChainClient } from "../client/createChainClient";
import { findAllowanceSlot } from "./findAllowanceSlot";

const anvil = await startAnvil();
const devnet = createDevnetClient(anvil.url);
const client = createChainClient({ chainId: 31337, rpcUrls: [anvil.url], requestTimeoutMs: 5_000 });
const [owner, spender] = [testAccount(0).address, testAccount(1).address];

afterAll(() => anvil.stop());

async function slotOf(token: Address) {
  return findAllowanceSlot(client, { token, owner, spender, block: await pinBlock(client) });
}

test.each([
  ["a plain token", () => deployToken(devnet, owner, { name: "Plain", symbol: "PLN", decimals: 6 })],
  [
    "a token of another layout",
    () => deployPeculiarToken(devnet, owner, { file: "BareTokens", contract: "NoReturnToken" }),
  ],
])("%s: what is written to the slot is the allowance, of this owner for this spender alone", async (_, deploy) => {
  const token = await deploy();
  const slot = await slotOf(token);
  if (slot === null) throw new Error("no slot was found");
  await devnet.setStorageAt({ address: token, index: slot, value: numberToHex(123n, { size: 32 }) });
  const allowance = (from: Address, to: Address) =>
    devnet.readContract({ address: token, abi: erc20Abi, functionName: "allowance", args: [from, to] });
  expect(await allowance(owner, spender)).toBe(123n);
  expect(await allowance(spender, owner)).toBe(0n);
  expect(await slotOf(token)).toBe(slot);
});

test("no slot is found for allowances in an unusual place, nor without a contract", async () => {
  const far = await deployPeculiarToken(devnet, owner, { file: "OddTokens", contract: "FarAllowanceToken" });
  expect(await slotOf(far)).toBeNull();
  expect(await slotOf("0x00000000000000000000000000000000000bEEf1")).toBeNull();
});
