import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { recordDomainCheck } from "@dueday/db/selling/domainChecks";
import { planId } from "@dueday/devnet/demoArguments";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { api, devnet, database, stop } = await startDemoApi({ ADMIN_SECRET: "an admin secret for tests" });
afterAll(stop);

const id = planId(devnet);
const seller = testAccount(ACCOUNT_INDEX.firstProvider);
const northlight = { name: "Northlight Press", verified: false };
const scope = { chainId: 31_337, contract: devnet.contract };
const read = async (path: string) => (await callApi(api, path)).body;

/** What the worker stores, at a time of the machine's clock. */
function check(isConfirmed: boolean | null, { profileDomain = "northlight.example", now = new Date() } = {}) {
  const provider = `0x${seller.address.slice(2).toLowerCase()}` as const;
  const finding = { provider, profileDomain, domain: profileDomain, isConfirmed, now, nextCheckAt: now };
  return recordDomainCheck(database.database, scope, finding);
}

describe("names", () => {
  test("of all plans and sellers of a page come in one answer; unknown subscriptions are left out", async () => {
    const nobody = someWallet().address;
    const unknown = `0x${"77".repeat(32)}`;
    const answer = await read(`/names?id=${id}&id=${unknown}&provider=${seller.address}&provider=${nobody}`);
    expect(answer).toMatchObject({
      plans: [{ id, planName: "Reader: all articles", provider: seller.address, seller: northlight }],
      providers: [
        { provider: seller.address, seller: northlight },
        { provider: nobody, seller: { name: null, verified: false } },
      ],
    });
  });

  test("are 100 together at most", async () => {
    const ids = (count: number) => Array.from({ length: count }, () => `id=${id}`).join("&");
    expect(await read(`/names?${ids(100)}`)).toMatchObject({ plans: [{ id }] });
    expect(await read(`/names?${ids(100)}&provider=${seller.address}`)).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("stand in the search", async () => {
    const { subscriptions } = await read(`/subscriptions?provider=${seller.address}`);
    expect(subscriptions).toContainEqual(
      expect.objectContaining({ id, planName: "Reader: all articles", seller: northlight }),
    );
  });
});

describe("a verified domain", () => {
  const profile = async () => (await read(`/providers/${seller.address}`)).verifiedDomain;

  test("names the seller until a definite answer lacks the record", async () => {
    expect(await profile()).toBeNull();
    await check(true);
    expect(await profile()).toBe("northlight.example");
    const verified = { name: "northlight.example", verified: true };
    expect(await read(`/names?provider=${seller.address}`)).toMatchObject({ providers: [{ seller: verified }] });
    expect(await read(`/subscriptions/${id}/checkout`)).toMatchObject({ seller: verified });
    await check(false);
    expect(await profile()).toBeNull();
  });

  test("survives a resolver that fails for two days, and no longer", async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    await check(true, { now: hoursAgo(47) });
    await check(null);
    expect(await profile()).toBe("northlight.example");
    await check(true, { now: hoursAgo(49) });
    await check(null);
    expect(await profile()).toBeNull();
  });

  test("ends with a profile that names another, and a resolver that fails verifies none", async () => {
    await check(true, { profileDomain: "before.example" });
    expect(await profile()).toBeNull();
    await check(null);
    expect(await profile()).toBeNull();
  });
});

describe("a checkout", () => {
  const path = `/subscriptions/${id}/checkout`;

  test("has the same figures before a wallet is connected as for any new payer", async () => {
    const payer = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
    const open = await read(path);
    const connected = await read(`${path}?account=${payer}`);
    const { approval, cover, asOf } = open;
    expect(open).toEqual({ ...connected, payer: null, approval, cover, asOf });
    const readiness = await callApi(api, "/check_subscribe_readiness_by_id", {
      method: "POST",
      body: { from: payer, id },
    });
    const { initialCharge, nextChargeDate, dueBeforeToday, ready, allowance, balance, runway } = readiness.body;
    expect(connected).toMatchObject({ initialCharge, nextChargeDate, dueBeforeToday, closed: null });
    expect(connected.payer).toMatchObject({ account: payer, standing: "stranger", ready, allowance, balance, runway });
    expect(open).toMatchObject({ chargeReason: "prorated", nextChargeAmount: "29", frameOrigins: [], returnUrl: null });
  });

  test("names the approval for the asked charges, all other plans of the payer included, and what of approval and balance ends first", async () => {
    const payer = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
    const open = await read(`${path}?approvalPeriods=12`);
    const { initialCharge, dueBeforeToday } = open;
    const charges = 12 + Number(dueBeforeToday);
    const alone = BigInt(Object(initialCharge).totalRaw) + BigInt(charges) * 29_000_000n;
    expect(open.approval).toMatchObject({ amountRaw: alone.toString() });
    expect(open.cover).toEqual({ charges, lastDate: "2027-09-18", endedBy: "approval" });

    // The allowance of this payer is enough for years.
    const asked = `${path}?approvalPeriods=12&account=${payer}`;
    expect(await read(asked)).toMatchObject({ approval: null });
    const { token } = Object(open.subscription);
    const data = encodeApprove(devnet.contract, 0n);
    const { blockNumber } = await send(devnet.client, { from: payer, to: getAddress(token), data });
    const connected = await read(`${asked}&minBlock=${BigInt(blockNumber)}`);
    const body = { from: payer, id, approvalPeriods: 12 };
    const prepared = await callApi(api, "/prepare/subscribe_by_id", { method: "POST", body });
    const approve: string = Object(prepared.body.unsignedTransactions).at(-2).data;
    const amountRaw = BigInt(`0x${approve.slice(-64)}`);
    expect(amountRaw).toBeGreaterThan(alone);
    expect(connected).toMatchObject({
      approval: { amountRaw: amountRaw.toString() },
      cover: { charges, endedBy: "approval" },
    });

    const long = await read(`${path}?approvalPeriods=120&account=${payer}&minBlock=${BigInt(blockNumber)}`);
    const { periodsByBalance } = Object(long.payer).runway;
    expect(long.cover).toMatchObject({ charges: periodsByBalance, endedBy: "balance" });
  });

  test("approves one whole amount by default, which covers no charge after the first one, however late remit() is", async () => {
    const ids = Object.values(devnet.subscriptions);
    const checkouts = await Promise.all(ids.map((each) => read(`/subscriptions/${each}/checkout`)));
    const late = checkouts.filter(({ closed, dueBeforeToday }) => closed === null && Number(dueBeforeToday) > 0);
    expect(late).not.toBeEmpty();
    for (const { cover } of late) expect(cover).toEqual({ charges: 0, lastDate: null, endedBy: "approval" });
  });

  test("shows who pays already, and a plan that has ended", async () => {
    const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + 10).address;
    const { payer: shown, approval, cover } = await read(`${path}?account=${payer}&approvalPeriods=12`);
    expect(shown).toMatchObject({ standing: "active", ready: false });
    const { periodsByAllowance, periodsByBalance } = Object(shown).runway;
    expect(approval).toBeNull();
    expect(cover).toMatchObject({ charges: Math.min(periodsByAllowance, periodsByBalance) });
    const ended = devnet.subscriptions["retired-tier"];
    expect(await read(`/subscriptions/${ended}/checkout`)).toMatchObject({ closed: "cancelled" });
    const paused = devnet.subscriptions["legacy-box"];
    expect(await read(`/subscriptions/${paused}/checkout`)).toMatchObject({ closed: "token_paused" });
    expect(await read(`/subscriptions/0x${"77".repeat(32)}/checkout`)).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("settings of a checkout", () => {
  const settings = {
    origins: ["https://shop.example"],
    returnUrls: ["https://shop.example/thanks"],
    supportUrl: "https://shop.example/help",
    paymasterUrl: null,
  };
  const open = async () => openPortalBrowser(api, new URL(api.url).origin);
  const returning = (url: string) => read(`/subscriptions/${id}/checkout?returnUrl=${encodeURIComponent(url)}`);

  test("are of the account that is signed in, and nobody else can change them", async () => {
    const browser = await open();
    expect((await browser.send("/portal/checkout")).body).toMatchObject({ code: "SESSION_REQUIRED" });
    const { paymasterUrl: _, ...body } = settings;
    expect((await browser.send("/portal/checkout", { method: "PUT", body })).status).toBe(401);
    expect((await browser.signIn(privateKeyToAccount(seller.privateKey))).status).toBe(201);
    expect((await browser.send("/portal/checkout")).body).toMatchObject({ origins: [], returnUrls: [] });
    expect(await returning("https://shop.example/thanks")).toMatchObject({ code: "RETURN_URL_REFUSED" });
    const stored = await browser.send("/portal/checkout", { method: "PUT", body });
    expect([stored.status, stored.body]).toEqual([200, settings]);
    expect((await browser.send("/portal/checkout")).body).toEqual(settings);
    expect(await returning("https://shop.example/thanks?order=7")).toMatchObject({
      frameOrigins: settings.origins,
      supportUrl: settings.supportUrl,
      returnUrl: "https://shop.example/thanks?order=7",
    });

    const other = await open();
    await other.signIn(someWallet());
    await other.send("/portal/checkout", {
      method: "PUT",
      body: { origins: ["https://evil.example"], returnUrls: [] },
    });
    expect(await returning("https://shop.example/thanks")).toMatchObject({ frameOrigins: settings.origins });
    const foreign = await browser.send("/portal/checkout", {
      method: "PUT",
      body,
      headers: { Origin: "https://evil.example" },
    });
    expect(foreign.body).toMatchObject({ code: "ORIGIN_REFUSED" });
  });

  test("a page that is not listed is refused, and nothing of the checkout is returned with the refusal", async () => {
    const refused = await callApi(api, `/subscriptions/${id}/checkout?returnUrl=https%3A%2F%2Fevil.example%2Fthanks`);
    expect([refused.status, refused.body.code]).toEqual([403, "RETURN_URL_REFUSED"]);
    for (const shown of ["Northlight", "Reader", "amount"]) expect(refused.text).not.toContain(shown);
  });

  test("name every URL that is not allowed", async () => {
    const browser = await open();
    await browser.signIn(someWallet());
    const { body } = await browser.send("/portal/checkout", {
      method: "PUT",
      body: {
        origins: ["https://shop.example/", "http://shop.example"],
        returnUrls: ["https://shop.example/?a=b"],
        supportUrl: "javascript:alert(1)",
        paymasterUrl: "http://paymaster.example",
      },
    });
    const issues = body.issues as { path: string }[]; // the documented form of an error
    expect(issues.map(({ path }) => path)).toEqual([
      "origins[0]",
      "origins[1]",
      "returnUrls[0]",
      "supportUrl",
      "paymasterUrl",
    ]);
  });
});
