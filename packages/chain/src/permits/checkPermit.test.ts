import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitViewsAbi } from "@dueday/core/abi/permit";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { PERMIT_TYPES, type PermitDomain } from "@dueday/core/permit/permit";
import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { deploySmartWallet, deployWalletContract, fickleWalletAbi } from "@dueday/devnet/deploySmartWallet";
import { deployPeculiarToken, deployToken } from "@dueday/devnet/deployToken";
import { send } from "@dueday/devnet/send";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { pinBlock } from "../block/pinBlock";
import { type ChainClient, createChainClient } from "../client/createChainClient";
import { checkPermit } from "./checkPermit";
import { readPermitFacts } from "./readPermitFacts";
import { readStanding } from "./readStanding";

const CHAIN_ID = 31337;
const HOUR = 3_600n;
const DAY = 86_400n;
const lyingAbi = parseAbi(["function lie(uint256 mode)"]);
/** Spender of every permit here; which address it is does not matter. */
const contract = getAddress(`0x${"c0".repeat(20)}`);
const owner = privateKeyToAccount(testAccount(ACCOUNT_INDEX.firstSubscriber).privateKey);
const stranger = privateKeyToAccount(testAccount(ACCOUNT_INDEX.firstSubscriber + 1).privateKey);
const admin = testAccount(ACCOUNT_INDEX.admin).address;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let devnet: DevnetClient;
let client: ChainClient;
let usdc: Address;
let lying: Address;
let wallet: Address;

beforeAll(async () => {
  anvil = await startAnvil({ timestamp: 1_790_000_000, accounts: ACCOUNT_INDEX.firstSubscriber + 2 });
  devnet = createDevnetClient(anvil.url);
  client = createChainClient({ chainId: CHAIN_ID, rpcUrls: [anvil.url], requestTimeoutMs: 10_000 });
  usdc = await deployToken(devnet, admin, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  lying = await deployPeculiarToken(devnet, admin, { file: "OddTokens", contract: "LyingPermitToken" });
  wallet = await deploySmartWallet(devnet, admin, owner.address, "FickleWallet");
});
afterAll(() => anvil.stop());

type Wish = {
  token?: Address;
  from?: Address;
  value?: bigint;
  days?: bigint;
  signer?: typeof owner;
  /** Parts of what is signed that differ from what is sent. */
  signed?: Partial<{ owner: Address; spender: Address; value: bigint; nonce: bigint; deadline: bigint }>;
  domain?: Partial<PermitDomain>;
};

/** Signs a permit and has it checked, at the newest block. */
async function check({ token = usdc, from = owner.address, value = 5_000_000n, days = 30n, ...wish }: Wish = {}) {
  const block = await pinBlock(client);
  const deadline = block.timestamp + days * DAY;
  const { domain, nonce } = await readPermitFacts(client, { contract, token, owner: from, block });
  const { EIP712Domain: _, ...types } = PERMIT_TYPES;
  const signature = await (wish.signer ?? owner).signTypedData({
    domain: { ...domain, ...wish.domain },
    types,
    primaryType: "Permit",
    message: { owner: from, spender: contract, value, nonce, deadline, ...wish.signed },
  });
  return checkPermit(client, { contract, token, from, value, deadline, signature, block });
}

/** Code and field of the refusal. */
async function refusal(checking: Promise<unknown>) {
  try {
    await checking;
  } catch (error) {
    const { code, issues = [] } = Object(error);
    return [code, ...issues.map((issue: { path?: string; code: string }) => issue.path ?? issue.code)];
  }
  return null;
}

const submit = (token: Address, data: Hex) => send(devnet, { from: stranger.address, to: token, data });

describe("a permit that is to be kept", () => {
  test("sets exactly its allowance when a stranger submits it, and counts until then", async () => {
    const { permit } = await check();
    const standing = async () => {
      const [row] = await readStanding(client, { contract, permits: [permit], block: await pinBlock(client) });
      return row?.counts;
    };
    expect(await standing()).toBe(true);
    await submit(usdc, encodePermit(permit));
    const args = [owner.address, contract] as const;
    expect(await devnet.readContract({ address: usdc, abi: erc20Abi, functionName: "allowance", args })).toBe(
      5_000_000n,
    );
    expect(await standing()).toBe(false);
    // Its nonce is used up: the same signature is that of another permit.
    await expect(submit(usdc, encodePermit(permit))).rejects.toThrow();
  });

  test("no longer counts after another allowance, or when it has expired", async () => {
    const { permit } = await check({ days: 1n });
    const approve = { abi: erc20Abi, functionName: "approve", args: [contract, 7n] } as const;
    const standing = async () => {
      const [row] = await readStanding(client, { contract, permits: [permit], block: await pinBlock(client) });
      return row?.counts;
    };
    const lasting = { ...permit, token: contract };
    // A token that does not answer ends nothing.
    const [unknown] = await readStanding(client, { contract, permits: [lasting], block: await pinBlock(client) });
    expect(unknown).toMatchObject({ counts: false, isOver: false });
    const snapshot = await devnet.snapshot();
    await send(devnet, { from: owner.address, to: usdc, data: encodeFunctionData(approve) });
    expect(await standing()).toBe(false);
    await devnet.revert({ id: snapshot });
    expect(await standing()).toBe(true);
    await devnet.increaseTime({ seconds: Number(DAY + HOUR) });
    await devnet.mine({ blocks: 1 });
    expect(await standing()).toBe(false);
  });

  test.each<[string, Wish]>([
    ["another chain", { domain: { chainId: 8453 } }],
    ["another token", { domain: { verifyingContract: contract } }],
    ["another name", { domain: { name: "USDC" } }],
    ["another version", { domain: { version: "1" } }],
    ["another owner", { signer: stranger }],
    ["another owner in the text", { signed: { owner: stranger.address } }],
    ["another spender", { signed: { spender: stranger.address } }],
    ["another value", { signed: { value: 1n } }],
    ["a nonce that is used", { signed: { nonce: 0n } }],
    ["a nonce that comes later", { signed: { nonce: 9n } }],
    ["another deadline", { signed: { deadline: 2n ** 200n } }],
  ])("is refused where %s was signed", async (_, wish) => {
    expect(await refusal(check(wish))).toEqual(["VALIDATION_ERROR", "signature"]);
  });

  test("is refused where its deadline has passed, or is more than 35 days away", async () => {
    expect(await refusal(check({ days: 0n }))).toEqual(["VALIDATION_ERROR", "deadline"]);
    expect(await refusal(check({ days: 36n }))).toEqual(["VALIDATION_ERROR", "deadline"]);
    expect(await refusal(check({ days: 35n }))).toBeNull();
  });

  test("is refused where the signature is no bytes of one, long or not", async () => {
    const block = await pinBlock(client);
    const sent = { contract, token: usdc, from: owner.address, value: 1n, deadline: block.timestamp + DAY, block };
    for (const signature of ["0x", "0x00", `0x${"ff".repeat(65)}`, `0x${"ab".repeat(4_000)}`] as const)
      expect(await refusal(checkPermit(client, { ...sent, signature }))).toEqual(["VALIDATION_ERROR", "signature"]);
  });
});

describe("a permit of a smart wallet", () => {
  test("counts as long as the wallet honours the signature of its owner", async () => {
    const { permit } = await check({ from: wallet });
    expect(permit.isOfKey).toBe(false);
    const changeMind = (hasChanged: boolean) =>
      send(devnet, {
        from: admin,
        to: wallet,
        data: encodeFunctionData({ abi: fickleWalletAbi, functionName: "changeMind", args: [hasChanged] }),
      });
    await changeMind(true);
    expect(await refusal(check({ from: wallet }))).toEqual(["VALIDATION_ERROR", "signature"]);
    await changeMind(false);
    await submit(usdc, encodePermit(permit));
    const args = [wallet, contract] as const;
    expect(await devnet.readContract({ address: usdc, abi: erc20Abi, functionName: "allowance", args })).toBe(
      5_000_000n,
    );
  });

  test("is refused where the wallet's code never ends, in bounded gas", async () => {
    const endless = await deployWalletContract(devnet, admin, "EndlessWallet");
    expect(await refusal(check({ from: endless }))).toEqual(["VALIDATION_ERROR", "signature"]);
  });
});

describe("a token that lies about permits", () => {
  const lie = (mode: bigint) =>
    send(devnet, {
      from: admin,
      to: lying,
      data: encodeFunctionData({ abi: lyingAbi, functionName: "lie", args: [mode] }),
    });

  test.each([
    [1n, "succeeds without setting an allowance", ["SIMULATION_FAILED", "TOKEN_REASON"]],
    [2n, "sets half of it", ["SIMULATION_FAILED", "TOKEN_REASON"]],
    [3n, "shows another domain than the one that it signs with", ["PERMIT_UNSUPPORTED"]],
  ])("with mode %d, which %s, is found out", async (mode, _, expected) => {
    await lie(0n);
    expect(await refusal(check({ token: lying }))).toBeNull();
    await lie(mode);
    expect(await refusal(check({ token: lying }))).toEqual(expected);
  });

  test("that takes any signature does not get one that its owner has not made", async () => {
    await lie(4n);
    expect(await refusal(check({ token: lying, signer: stranger }))).toEqual(["VALIDATION_ERROR", "signature"]);
  });

  test("has no permits where it has no EIP-2612", async () => {
    const bare = await deployPeculiarToken(devnet, admin, { file: "BareTokens", contract: "NoReturnToken" });
    expect(await refusal(check({ token: bare }))).toEqual(["PERMIT_UNSUPPORTED"]);
    const nonces = { address: bare, abi: permitViewsAbi, functionName: "nonces", args: [owner.address] } as const;
    await expect(devnet.readContract(nonces)).rejects.toThrow();
  });
});
