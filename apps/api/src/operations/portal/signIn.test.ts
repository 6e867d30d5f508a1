import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { deploySmartWallet, deployWalletContract, smartWalletFactoryAbi } from "@dueday/devnet/deploySmartWallet";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { encodeFunctionData, type Hex, serializeErc6492Signature, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { parseSiweMessage } from "viem/siwe";

const ORIGIN = "https://dueday.example";
const contract = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const database = await createTestDatabase();
const clock = { now: Date.now() };

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let devnet: DevnetClient;
let api: TestApi;
const started: TestApi[] = [];

async function start(env: Record<string, string> = {}): Promise<TestApi> {
  const process = await startTestApi({
    database,
    rpcUrl: anvil.url,
    contract,
    clock: () => clock.now,
    env: { ...BEHIND_PROXY, ADMIN_SECRET: "an admin secret for tests", PUBLIC_URL: `${ORIGIN}/base`, ...env },
  });
  started.push(process);
  return process;
}

beforeAll(async () => {
  anvil = await startAnvil();
  devnet = createDevnetClient(anvil.url);
  api = await start();
});
afterAll(async () => {
  for (const process of started) await process.stop();
  await anvil.stop();
});

const open = (process = api) => openPortalBrowser(process, ORIGIN, someAddress());
const post = (body: unknown) => ({ method: "POST", body });

/** A signed message that differs from the one that was issued. */
async function signChanged(change: (message: string) => string) {
  const browser = open();
  const wallet = someWallet();
  const message = change(await browser.challenge(wallet.address));
  const signature = await wallet.signMessage({ message });
  return browser.send("/portal/session", post({ message, signature }));
}

test("a wallet signs in: the message names PUBLIC_URL's host, the wallet and the default chain, and is valid for five minutes", async () => {
  const browser = open();
  const wallet = someWallet();
  const message = await browser.challenge(wallet.address.toLowerCase());
  expect(parseSiweMessage(message)).toMatchObject({
    domain: "dueday.example",
    uri: ORIGIN,
    address: wallet.address,
    chainId: 31337,
    version: "1",
    issuedAt: new Date(clock.now),
    expirationTime: new Date(clock.now + 300_000),
  });
  const signature = await wallet.signMessage({ message });
  const signedIn = await browser.send("/portal/session", post({ message, signature }));
  expect(signedIn.status).toBe(201);
  const session = {
    address: wallet.address,
    subjectId: `eip155:${wallet.address}`,
    createdAt: new Date(clock.now).toISOString(),
    expiresAt: new Date(clock.now + 12 * 3_600_000).toISOString(),
  };
  expect(signedIn.body).toEqual(session);
  expect((await browser.send("/portal/session")).body).toEqual({ session });
});

test.each([
  ["without a dot", "https://intranet"],
  ["with a port", "https://dueday.example:8443"],
  ["that is an IPv6 address", "https://[2001:db8::1]"],
])("a wallet signs in to a portal whose PUBLIC_URL has a host %s", async (_, origin) => {
  const browser = openPortalBrowser(await start({ PUBLIC_URL: origin }), origin, someAddress());
  const wallet = someWallet();
  const message = await browser.challenge(wallet.address);
  expect(message.split("\n")[0]).toBe(`${new URL(origin).host} wants you to sign in with your Ethereum account:`);
  const signature = await wallet.signMessage({ message });
  expect((await browser.send("/portal/session", post({ message, signature }))).status).toBe(201);
});

describe("the cookie", () => {
  test("of an https origin is bound to its host, hidden from scripts and from other sites, and lasts 12 hours", async () => {
    const { headers } = await open().signIn(someWallet());
    const [pair = "", ...flags] = (headers.get("set-cookie") ?? "").split("; ");
    expect(pair).toMatch(/^__Host-dueday_session=[A-Za-z0-9_-]{43}$/);
    expect(flags.toSorted()).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict", "Secure"]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("on this machine, without https, has no prefix that browsers accept with https only", async () => {
    const local = await start({ PUBLIC_URL: "" });
    const origin = local.url.replace("127.0.0.1", "localhost");
    const browser = openPortalBrowser({ url: origin }, origin);
    const { headers } = await browser.signIn(someWallet());
    const [pair = "", ...flags] = (headers.get("set-cookie") ?? "").split("; ");
    expect(pair).toMatch(/^dueday_session=[A-Za-z0-9_-]{43}$/);
    expect(flags.toSorted()).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict"]);
    expect((await browser.send("/portal/session")).body.session).not.toBeNull();
  });

  test("is not accepted under another name: another host of the domain can set one without the prefix", async () => {
    const browser = open();
    await browser.signIn(someWallet());
    const Cookie = String(browser.cookie).replace("__Host-", "");
    expect((await callApi(api, "/portal/session", { headers: { Cookie } })).body).toEqual({ session: null });
  });

  test("holds a token that the database has as a hash only", async () => {
    const browser = open();
    await browser.signIn(someWallet());
    const token = String(browser.cookie).split("=")[1] ?? "";
    const rows = await database.database.sql<{ row: string }[]>`select t::text as row from portal_sessions t`;
    const text = rows.map(({ row }) => row).join("\n");
    expect(text).toContain(new Bun.CryptoHasher("sha256").update(token).digest("hex"));
    expect(text).not.toContain(token);
  });
});

describe("a sign-in is refused", () => {
  const issueOf = ({ status, body }: Awaited<ReturnType<typeof signChanged>>) => [status, body.code, body.issues];
  const refused = (code: string, path = "message") => [
    401,
    "SIGN_IN_REFUSED",
    [{ code, path, message: expect.any(String) }],
  ];

  test("with a message that was used before", async () => {
    const browser = open();
    const wallet = someWallet();
    const message = await browser.challenge(wallet.address);
    const body = { message, signature: await wallet.signMessage({ message }) };
    expect((await browser.send("/portal/session", post(body))).status).toBe(201);
    const thief = open();
    expect(issueOf(await thief.send("/portal/session", post(body)))).toEqual(refused("UNKNOWN_NONCE"));
    expect(thief.cookie).toBeNull();
  });

  test("of ten requests with one message, nine", async () => {
    const wallet = someWallet();
    const message = await open().challenge(wallet.address);
    const body = { message, signature: await wallet.signMessage({ message }) };
    const attempts = Array.from({ length: 10 }, () => open().send("/portal/session", post(body)));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 401)]);
  });

  test("with a nonce that expired", async () => {
    const browser = open();
    const wallet = someWallet();
    const message = await browser.challenge(wallet.address);
    const body = { message, signature: await wallet.signMessage({ message }) };
    clock.now += 300_000;
    expect(issueOf(await browser.send("/portal/session", post(body)))).toEqual(refused("EXPIRED"));
  });

  test("with another nonce, or without one", async () => {
    const nonce = (message: string) => message.replace(/Nonce: \w+/, "Nonce: 0123456789abcdef");
    expect(issueOf(await signChanged(nonce))).toEqual(refused("UNKNOWN_NONCE"));
    expect(issueOf(await signChanged(() => "Sign in to Dueday"))).toEqual(refused("UNKNOWN_NONCE"));
  });

  test("for another domain, chain or address, or with any other letter changed", async () => {
    const other = someWallet().address;
    for (const [code, change] of [
      ["WRONG_DOMAIN", (message: string) => message.replace(/^\S+/, "evil.example")],
      ["WRONG_CHAIN", (message: string) => message.replace("Chain ID: 31337", "Chain ID: 1")],
      ["WRONG_ADDRESS", (message: string) => message.replace(/0x[0-9a-fA-F]{40}/, other)],
      ["CHANGED", (message: string) => message.replace(/URI: \S+/, "URI: https://evil.example")],
      [
        "CHANGED",
        (message: string) => message.replace(/Expiration Time: \S+/, "Expiration Time: 2999-01-01T00:00:00.000Z"),
      ],
      ["CHANGED", (message: string) => `${message}\nResources:\n- https://evil.example`],
      ["CHANGED", (message: string) => `${message}\n`],
    ] as const)
      expect(issueOf(await signChanged(change))).toEqual(refused(code));
  });

  test("with the signature of another wallet, and with none", async () => {
    const browser = open();
    const message = await browser.challenge(someWallet().address);
    for (const signature of [await someWallet().signMessage({ message }), "0x"])
      expect(issueOf(await browser.send("/portal/session", post({ message, signature })))).toEqual(
        refused("WRONG_SIGNATURE", "signature"),
      );
    expect(
      (await browser.send("/portal/session", post({ message, signature: `0x${"00".repeat(8_193)}` }))).status,
    ).toBe(400);
  });

  test("on the message of another name of this machine", async () => {
    const local = await start({ PUBLIC_URL: "" });
    const origins = [local.url, local.url.replace("127.0.0.1", "localhost")];
    const [first, second] = origins.map((url) => openPortalBrowser({ url }, url));
    const wallet = someWallet();
    const message = (await first?.challenge(wallet.address)) ?? "";
    const body = { message, signature: await wallet.signMessage({ message }) };
    const answer = await second?.send("/portal/session", post(body));
    expect(answer?.body.issues).toMatchObject([{ code: "WRONG_DOMAIN" }]);
  });
});

describe("limits", () => {
  test("the sixth challenge of an address within a minute is refused, for any wallet, and takes nothing from the route's buckets", async () => {
    const from = someAddress();
    const ask = () =>
      callApi(api, "/portal/challenge", {
        ...post({ address: someWallet().address }),
        headers: { Origin: ORIGIN },
        from,
      });
    for (let sent = 0; sent < 5; sent += 1) expect((await ask()).status).toBe(201);
    const sixth = await ask();
    expect([sixth.status, sixth.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(sixth.body).toMatchObject({ code: "RATE_LIMITED", bucket: "portalChallenges", limit: 5 });
    expect(sixth.headers.get("ratelimit")).toContain(`"global";r=${1_000_000 - 5}`);
    clock.now += 60_000;
    expect((await ask()).status).toBe(201);
  });

  test("thirty sign-ins of an address that failed within a minute, and no more, are checked; one that succeeds does not count", async () => {
    const browser = open();
    const attempt = () => browser.send("/portal/session", post({ message: "no message", signature: "0x" }));
    expect((await browser.signIn(someWallet())).status).toBe(201);
    browser.cookie = null;
    for (let sent = 0; sent < 30; sent += 1) expect((await attempt()).status).toBe(401);
    const [first, second] = [await attempt(), await attempt()];
    expect(first.body).toMatchObject({ code: "RATE_LIMITED", bucket: "failedAuthentications" });
    // Both give back what the route took, and name its buckets.
    const globalOf = ({ headers }: typeof first) => /"global";r=\d+/.exec(headers.get("ratelimit") ?? "")?.[0];
    expect([globalOf(first), globalOf(second)]).toEqual(Array(2).fill(`"global";r=${1_000_000 - 32}`));
  });
});

describe("a smart wallet signs in", () => {
  const owner = testAccount(1);
  const signer = privateKeyToAccount(owner.privateKey);

  async function signInAs(address: string, wrap: (signature: Hex) => Hex = (signature) => signature) {
    const browser = open();
    const message = await browser.challenge(address);
    const signature = wrap(await signer.signMessage({ message }));
    return browser.send("/portal/session", post({ message, signature }));
  }

  test("with what its contract accepts (ERC-1271)", async () => {
    const wallet = await deploySmartWallet(devnet, owner.address, owner.address);
    const signedIn = await signInAs(wallet);
    expect([signedIn.status, signedIn.body.subjectId]).toEqual([201, `eip155:${wallet}`]);
    const stranger = await deploySmartWallet(devnet, owner.address, testAccount(2).address);
    expect((await signInAs(stranger)).body.issues).toMatchObject([{ code: "WRONG_SIGNATURE" }]);
  });

  test("before it is deployed (ERC-6492)", async () => {
    const factory = await deployWalletContract(devnet, owner.address, "SmartWalletFactory");
    const args = [owner.address, zeroHash] as const;
    const call = { abi: smartWalletFactoryAbi, args };
    const wallet = await devnet.readContract({ ...call, address: factory, functionName: "addressOf" });
    const data = encodeFunctionData({ ...call, functionName: "create" });
    const wrap = (signature: Hex) => serializeErc6492Signature({ address: factory, data, signature });
    expect((await signInAs(wallet, wrap)).status).toBe(201);
    expect((await signInAs(testAccount(3).address, wrap)).status).toBe(401);
  });

  test("not while the node is away, which is 503 and not a wrong signature; keys sign in without it", async () => {
    const away = await startTestApi({
      database,
      rpcUrl: "http://127.0.0.1:1",
      contract,
      env: { ADMIN_SECRET: "an admin secret for tests", PUBLIC_URL: ORIGIN },
    });
    started.push(away);
    const browser = open(away);
    const message = await browser.challenge(testAccount(3).address);
    const signature = await signer.signMessage({ message });
    const answer = await browser.send("/portal/session", post({ message, signature }));
    expect([answer.status, answer.body.code]).toEqual([503, "UPSTREAM_UNAVAILABLE"]);
    expect((await browser.signIn(someWallet())).status).toBe(201);
  });
});
