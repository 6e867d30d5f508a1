import { expect, test } from "bun:test";
import { getAddress } from "viem";
import { preflightChain } from "./preflightChain";

const chain = { chainId: 31337, contract: getAddress("0xfaf5fc2f77b21bc188f492b827d366b03a07c61f") };

test("a node of the chain, with the contract, passes", async () => {
  const client = { getChainId: async () => 31337, getCode: async () => "0x60" };
  expect(await preflightChain(chain, client)).toEqual({ ok: true });
});

test("a node of another chain fails with both chain ids in the reason", async () => {
  const result = await preflightChain(chain, { getChainId: async () => 1, getCode: async () => "0x60" });
  expect(result).toMatchObject({ ok: false, failure: "wrong_chain" });
  expect(result).toHaveProperty(
    "reason",
    expect.stringContaining("chain 31337 serves chain 1: correct CHAIN_31337_RPC_URLS"),
  );
});

test.each(["0x", undefined])("an address with the code %p is not a contract", async (code) => {
  const result = await preflightChain(chain, { getChainId: async () => 31337, getCode: async () => code });
  expect(result).toMatchObject({ ok: false, failure: "no_contract" });
});

test("a node that can't be reached fails without an exception, and the reason does not contain its URL", async () => {
  const failure = new Error("connect https://node.example/key refused");
  const client = { getChainId: async () => Promise.reject(failure), getCode: async () => "0x60" };
  const result = await preflightChain(chain, client);
  expect(result).toMatchObject({ ok: false, failure: "unreachable", cause: failure });
  expect(result).toHaveProperty("reason", expect.not.stringContaining("node.example"));
});
