import { afterAll, expect, test } from "bun:test";
import { createDevnetClient } from "@dueday/devnet/client";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { type Address, concatHex, type Hex, numberToHex } from "viem";
import { readHead } from "../../block/readHead";
import { createChainClient } from "../../client/createChainClient";
import { readFingerprint } from "./readFingerprint";
import { readHoldings, readHoldingsHash } from "./readHoldings";

const anvil = await startAnvil({});
afterAll(() => anvil.stop());
const node = createDevnetClient(anvil.url);
const client = createChainClient({ chainId: 31337, rpcUrls: [anvil.url], requestTimeoutMs: 10_000 });

const contract: Address = "0x00000000000000000000000000000000000c0de8";
const token: Address = "0x00000000000000000000000000000000000c0de7";
const accounts: readonly Address[] = [
  "0x00000000000000000000000000000000000000a1",
  "0x00000000000000000000000000000000000000a2",
];

/** The code of a token that ends every call with 7 in the last byte of this many bytes. */
function tokenThat(ends: "returns" | "reverts", bytes: number): Hex {
  const [size, last] = [numberToHex(bytes, { size: 1 }), numberToHex(Math.max(bytes - 1, 0), { size: 1 })];
  return concatHex(["0x600760", last, "0x5360", size, "0x6000", ends === "returns" ? "0xf3" : "0xfd"]);
}

async function holdingsOf(code: Hex) {
  await node.setCode({ address: token, bytecode: code });
  await node.mine({ blocks: 1 });
  const parameters = { contract, token, accounts, block: await readHead(client) };
  const rows = await readHoldings(client, parameters);
  const hash = await readHoldingsHash(client, parameters);
  const fingerprint = await readFingerprint(client, { ...parameters, holders: new Map([[token, accounts]]) });
  return { rows, facts: [hash, fingerprint] };
}

test("a token that reverts, with whatever reason, or answers less than a word counts as holding nothing, as one without code does", async () => {
  const nothing = await holdingsOf("0x");
  expect([...nothing.rows.values()]).toEqual(accounts.map(() => ({ balance: 0n, allowance: 0n })));
  for (const code of [
    tokenThat("reverts", 32),
    tokenThat("reverts", 100),
    tokenThat("returns", 31),
    tokenThat("reverts", 1),
  ])
    expect(await holdingsOf(code)).toEqual(nothing);
  const { rows, facts } = await holdingsOf(tokenThat("returns", 32));
  expect([...rows.values()]).toEqual(accounts.map(() => ({ balance: 7n, allowance: 7n })));
  for (const [index, fact] of facts.entries()) expect(fact).not.toEqual(nothing.facts[index] ?? null);
});
