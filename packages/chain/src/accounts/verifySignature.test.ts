import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { deploySmartWallet, deployWalletContract, smartWalletFactoryAbi } from "@dueday/devnet/deploySmartWallet";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { testAccount } from "@dueday/devnet/testAccount";
import { type Address, encodeFunctionData, type Hex, serializeErc6492Signature, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { verifySignature } from "./verifySignature";

/** PUSH3 0x100000, PUSH0, RETURN: memory that the gas of the check pays for. */
const RETURN_1_MB = "0x621000005ff3";
/** The same with REVERT. */
const REVERT_1_MB = "0x621000005ffd";
/** Memory that the check pays for once, and not for a copy of it. */
const REVERT_2_MB = "0x622000005ffd";
const message = "dueday.example wants you to sign in";
const owner = testAccount(1);
const other = testAccount(2);
const signature = await privateKeyToAccount(owner.privateKey).signMessage({ message });
const otherSignature = await privateKeyToAccount(other.privateKey).signMessage({ message });

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let devnet: DevnetClient;
let client: ChainClient;
beforeAll(async () => {
  anvil = await startAnvil();
  devnet = createDevnetClient(anvil.url);
  client = createChainClient({ chainId: 31337, rpcUrls: [anvil.url], requestTimeoutMs: 20_000 });
});
afterAll(() => anvil.stop());

const verify = (address: Address, signed: Hex) => verifySignature(client, { address, message, signature: signed });

test("a key's own signature is accepted without a node, and no other", async () => {
  const away = createChainClient({ chainId: 31337, rpcUrls: ["http://127.0.0.1:1"], requestTimeoutMs: 1_000 });
  expect(await verifySignature(away, { address: owner.address, message, signature })).toBe(true);
  expect(await verify(owner.address, otherSignature)).toBe(false);
  const changed = { address: owner.address, message: `${message}!`, signature };
  expect(await verifySignature(client, changed)).toBe(false);
});

test.each([
  ["nothing", "0x"],
  ["a byte", "0x01"],
  ["65 zero bytes", `0x${"00".repeat(65)}`],
  ["8 KiB", `0x${"ab".repeat(8_192)}`],
  ["the mark of ERC-6492 after nonsense", `0x${"ab".repeat(70)}${"6492".repeat(16)}`],
] as const)("%s is no signature, of a key or of a wallet", async (_, signed) => {
  const wallet = await deploySmartWallet(devnet, owner.address, owner.address);
  expect(await verify(owner.address, signed)).toBe(false);
  expect(await verify(wallet, signed)).toBe(false);
});

describe("a smart wallet", () => {
  test("that is deployed has signed what its owner has signed (ERC-1271)", async () => {
    const wallet = await deploySmartWallet(devnet, other.address, owner.address);
    expect(await verify(wallet, signature)).toBe(true);
    expect(await verify(wallet, otherSignature)).toBe(false);
  });

  test("that is not deployed yet has, too (ERC-6492), and stays undeployed", async () => {
    const factory = await deployWalletContract(devnet, other.address, "SmartWalletFactory");
    const args = [owner.address, zeroHash] as const;
    const wallet = await devnet.readContract({
      address: factory,
      abi: smartWalletFactoryAbi,
      functionName: "addressOf",
      args,
    });
    const data = encodeFunctionData({ abi: smartWalletFactoryAbi, functionName: "create", args });
    const wrap = (signed: Hex) => serializeErc6492Signature({ address: factory, data, signature: signed });
    expect(await verify(wallet, wrap(signature))).toBe(true);
    expect(await verify(wallet, wrap(otherSignature))).toBe(false);
    expect(await verify(wallet, signature)).toBe(false);
    expect(await verify(other.address, wrap(signature))).toBe(false);
    expect(await devnet.getCode({ address: wallet })).toBeUndefined();
  });

  test("whose code never ends is refused", async () => {
    const wallet = await deployWalletContract(devnet, other.address, "EndlessWallet");
    expect(await verify(wallet, signature)).toBe(false);
  });

  test.each([
    ["returns 1 MB", RETURN_1_MB],
    ["reverts with 1 MB", REVERT_1_MB],
    ["reverts with 2 MB", REVERT_2_MB],
  ] as const)("whose code or factory %s is refused, and none of it leaves the node", async (_, bytecode) => {
    const { address: wallet } = testAccount(9);
    await devnet.setCode({ address: wallet, bytecode });
    let largest = 0;
    const counting: ChainClient = {
      ...client,
      async rpc(...parameters) {
        const answer = await client.rpc(...parameters).catch((error: unknown) => error);
        largest = Math.max(largest, JSON.stringify(answer).length);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    const wrapped = serializeErc6492Signature({ address: wallet, data: "0x", signature });
    const undeployed = testAccount(8).address;
    for (const [address, signed] of [
      [wallet, signature],
      [wallet, wrapped],
      [undeployed, wrapped],
    ] as const)
      expect(await verifySignature(counting, { address, message, signature: signed })).toBe(false);
    expect(largest).toBeLessThan(100);
  });
});

test("a node that does not answer is an error, and not a wrong signature", async () => {
  const away = createChainClient({ chainId: 31337, rpcUrls: ["http://127.0.0.1:1"], requestTimeoutMs: 1_000 });
  const attempt = verifySignature(away, { address: owner.address, message, signature: otherSignature });
  await expect(attempt).rejects.toMatchObject({ status: 503 });
});
