import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { deploySmartWallet } from "@dueday/devnet/deploySmartWallet";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { testAccount } from "@dueday/devnet/testAccount";
import {
  CheckoutError,
  type CheckoutProof,
  checkoutMessage,
  type ReceivedProof,
  type VerifyCheckoutOptions,
  verifyCheckout,
} from "@dueday/sdk/gate";
import { paidEntitlement } from "@dueday/sdk/test/paidEntitlement";
import fc from "fast-check";
import { type Address, createPublicClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const NOW = Date.parse("2026-09-21T12:00:00Z");
const payer = privateKeyToAccount(testAccount(1).privateKey);
const other = privateKeyToAccount(testAccount(2).privateKey);
const claim = {
  checkout: "https://pay.example",
  origin: "https://shop.example",
  chainId: 31_337,
  subscription: `0x${"ab".repeat(32)}`,
  reference: "order 7 ü/€",
} as const;
/** PUSH4 0x1626ba7e, PUSH1 224, SHL, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN: it accepts every signature. */
const ACCEPT_ANYTHING = "0x631626ba7e60e01b5f5260205ff3";

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let devnet: DevnetClient;
beforeAll(async () => {
  anvil = await startAnvil();
  devnet = createDevnetClient(anvil.url);
});
afterAll(() => anvil.stop());

type Changes = Partial<Parameters<typeof checkoutMessage>[0]>;

async function sign(changes: Changes = {}, by = payer): Promise<CheckoutProof> {
  const facts = { account: payer.address, nonce: "a1b2c3d4e5", issuedAt: new Date(NOW) };
  const message = checkoutMessage({ ...claim, ...facts, ...changes });
  return { message, signature: await by.signMessage({ message }) };
}

function verify(proof: ReceivedProof, options: Partial<VerifyCheckoutOptions> = {}) {
  return verifyCheckout({
    ...claim,
    client: createPublicClient({ transport: http(anvil.url, { retryCount: 0 }) }),
    dueday: { getEntitlement: async (input) => paidEntitlement(input) },
    consume: () => true,
    now: () => NOW + 10_000,
    ...options,
    ...proof,
  });
}

const codeOf = async (promise: Promise<unknown>) => {
  const error: unknown = await promise.catch((reason) => reason);
  return error instanceof CheckoutError ? error.code : error;
};

test("the message is exactly this one: what wallets show does not change unnoticed", async () => {
  expect((await sign()).message).toBe(
    `pay.example wants you to sign in with your Ethereum account:
${payer.address}

Show shop.example that this account pays for a plan. This sends no transaction and costs nothing.

URI: https://pay.example
Version: 1
Chain ID: 31337
Nonce: a1b2c3d4e5
Issued At: 2026-09-21T12:00:00.000Z
Expiration Time: 2026-09-21T12:05:00.000Z
Resources:
- https://shop.example
- urn:dueday:plan:eip155:31337:0x${"ab".repeat(32)}
- urn:dueday:reference:order%207%20%C3%BC%2F%E2%82%AC`,
  );
});

describe("accepted:", () => {
  test("the payer's signature; what the shop consumes is the reference, once everything else is proven", async () => {
    const consumed: string[] = [];
    const consume = (reference: string) => consumed.push(reference) === 1;
    const proof = await sign();
    const { account, entitlement } = await verify(proof, { consume });
    expect([account, entitlement.entitled, consumed]).toEqual([payer.address, true, [claim.reference]]);
    await codeOf(verify(await sign({ origin: "https://other.example" }), { consume }));
    await codeOf(verify({ ...proof, signature: await other.signMessage(proof) }, { consume }));
    expect(consumed).toEqual([claim.reference]);
  });

  test("a smart wallet's, whose owner has signed (ERC-1271)", async () => {
    const account = await deploySmartWallet(devnet, other.address, payer.address);
    expect(await verify(await sign({ account }))).toMatchObject({ account });
  });

  test("an account in lower case, which is returned with its checksum", async () => {
    const account = payer.address.toLowerCase() as Address; // the same digits
    expect(await verify(await sign({ account }))).toMatchObject({ account: payer.address });
  });

  test("any reference of up to 200 characters", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 40 }), async (reference) => {
        expect(await verify(await sign({ reference }), { reference })).toMatchObject({ account: payer.address });
      }),
      { numRuns: 20 },
    );
    expect(() =>
      checkoutMessage({
        ...claim,
        reference: "x".repeat(201),
        account: payer.address,
        nonce: "a1b2c3d4",
        issuedAt: new Date(NOW),
      }),
    ).toThrow(RangeError);
  });
});

describe("refused:", () => {
  const later = (seconds: number) => ({ now: () => NOW + seconds * 1000 });

  test.each<[string, Changes, string]>([
    ["another host's checkout", { checkout: "https://evil.example" }, "WRONG_HOST"],
    ["another port's checkout", { checkout: "https://pay.example:8443" }, "WRONG_HOST"],
    ["http in place of https", { checkout: "http://pay.example" }, "CHANGED"],
    ["another seller's origin", { origin: "https://evil.example" }, "WRONG_SELLER"],
    ["another reference", { reference: "order 8" }, "WRONG_REFERENCE"],
    ["another chain", { chainId: 8_453 }, "WRONG_CHAIN"],
    ["another plan", { subscription: `0x${"cd".repeat(32)}` }, "WRONG_PLAN"],
  ])("%s", async (_, changes, code) => {
    expect(await codeOf(verify(await sign(changes)))).toBe(code);
  });

  test("a second use", async () => {
    const used = new Set<string>();
    const consume = (reference: string) => !used.has(reference) && used.add(reference).size > 0;
    const proof = await sign();
    await verify(proof, { consume });
    expect(await codeOf(verify(proof, { consume }))).toBe("USED");
  });

  test("an expired message, and one of the future", async () => {
    const proof = await sign();
    await verify(proof, later(299));
    expect(await codeOf(verify(proof, later(300)))).toBe("EXPIRED");
    expect(await codeOf(verify(proof, later(-61)))).toBe("EXPIRED");
  });

  test("a message that gives itself more time", async () => {
    const { message: short } = await sign();
    const message = short.replace("12:05:00.000Z", "12:55:00.000Z");
    expect(await codeOf(verify({ message, signature: await payer.signMessage({ message }) }))).toBe("CHANGED");
  });

  test("another account: its name over somebody else's signature", async () => {
    expect(await codeOf(verify(await sign({}, other)))).toBe("WRONG_SIGNATURE");
    expect(await codeOf(verify(await sign({ account: other.address })))).toBe("WRONG_SIGNATURE");
  });

  test("a contract wallet that accepts any signature, and so a random one too", async () => {
    const account: Address = "0x00000000000000000000000000000000000a11a1";
    await devnet.setCode({ address: account, bytecode: ACCEPT_ANYTHING });
    for (const signature of [(await sign({}, other)).signature, `0x${"5a".repeat(65)}`] as Hex[])
      expect(await codeOf(verify({ ...(await sign({ account })), signature }))).toBe("ANY_SIGNATURE");
  });

  test("a contract wallet that its owner has not signed for", async () => {
    const account = await deploySmartWallet(devnet, other.address, payer.address);
    expect(await codeOf(verify(await sign({ account }, other)))).toBe("WRONG_SIGNATURE");
  });

  test("a message that signs in to the portal of the same host", async () => {
    const message = [
      "pay.example wants you to sign in with your Ethereum account:",
      payer.address,
      "",
      "Sign in to the developer portal of Dueday. This sends no transaction and costs nothing.",
      "",
      "URI: https://pay.example",
      "Version: 1",
      "Chain ID: 31337",
      "Nonce: a1b2c3d4e5",
      "Issued At: 2026-09-21T12:00:00.000Z",
      "Expiration Time: 2026-09-21T12:05:00.000Z",
    ].join("\n");
    expect(await codeOf(verify({ message, signature: await payer.signMessage({ message }) }))).toBe("MALFORMED");
  });

  test("a text with anything else in it", async () => {
    const { message: good } = await sign();
    const lines = good.split("\n");
    for (const message of [
      `${good}\n- https://other.example`,
      `${good}\n`,
      good.replace("pays for a plan", "pays for everything"),
      good.replace("Version: 1", "Version: 2"),
      good.replaceAll("\n", "\r\n"),
      lines.toReversed().join("\n"),
      "",
    ])
      expect(["CHANGED", "MALFORMED"]).toContain(
        String(await codeOf(verify({ message, signature: await payer.signMessage({ message }) }))),
      );
  });

  test("what a request can hold in place of a message and a signature", async () => {
    const { message, signature } = await sign();
    for (const sent of [undefined, null, 7, "", {}, [signature]]) {
      expect(await codeOf(verify({ message: sent, signature }))).toBe("MALFORMED");
      expect(await codeOf(verify({ message, signature: sent }))).toBe("MALFORMED");
    }
  });

  test("an account that does not pay, or whose payment is not known", async () => {
    const proof = await sign();
    const answering = (changes: Parameters<typeof paidEntitlement>[1]) => ({
      dueday: {
        getEntitlement: async (input: Parameters<typeof paidEntitlement>[0]) => paidEntitlement(input, changes),
      },
    });
    expect(await codeOf(verify(proof, answering({ entitled: false, state: "failed" })))).toBe("NOT_ENTITLED");
    const { asOf } = paidEntitlement({ id: "0x", account: "0x" });
    expect(await codeOf(verify(proof, answering({ asOf: { ...asOf, stale: true } })))).toBe("UNAVAILABLE");
    const away = { getEntitlement: () => Promise.reject(new Error("away")) };
    expect(await codeOf(verify(proof, { dueday: away }))).toBe("UNAVAILABLE");
  });

  test("a smart wallet while its node is away: nothing is known, which is no wrong signature", async () => {
    const account = await deploySmartWallet(devnet, other.address, payer.address);
    const client = createPublicClient({ transport: http("http://127.0.0.1:1", { retryCount: 0 }) });
    expect(await codeOf(verify(await sign({ account }), { client }))).toBe("UNAVAILABLE");
    expect(await verify(await sign(), { client })).toMatchObject({ account: payer.address });
  });
});
