import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { openPortalBrowser } from "@dueday/api/test/portalBrowser";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { type KeptPermit, PERMIT_TYPES } from "@dueday/core/permit/permit";
import { withdrawalMessage } from "@dueday/core/permit/withdrawalMessage";
import { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { storePermit } from "@dueday/db/permits/storePermit";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { fickleWalletAbi } from "@dueday/devnet/deploySmartWallet";
import { fund } from "@dueday/devnet/scenarios/actions";
import { RENEWAL_AMOUNT, renewals } from "@dueday/devnet/scenarios/renewals";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { Value } from "@sinclair/typebox/value";
import { type Address, encodeFunctionData, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Places of the scenario's subscribers: each test has its own. */
const [SAVED, WITHDRAWN, REPLACED, USED, CHANGED, EXPIRED, FORGED, WALLET_OWNER] = [0, 1, 2, 3, 4, 5, 6, 7];
const NOW = Date.UTC(2026, 2, 20, 12) / 1000;

const devnet = await startDevnet({ scenario: renewals({ subscribers: 7, withFickleWallet: true }), now: NOW });
const testDatabase = await createTestDatabase();
const { database } = testDatabase;
const { client, contract, url, subscriptions } = devnet;
const api = await startTestApi({
  database: testDatabase,
  rpcUrl: url,
  contract,
  clock: () => NOW * 1000,
  env: { ADMIN_SECRET: "an admin secret for tests" },
});
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});
const [token = contract] = devnet.tokens;
const { weekly: id } = subscriptions;
const keyOf = (place: number) => privateKeyToAccount(testAccount(ACCOUNT_INDEX.firstSubscriber + place).privateKey);
const admin = testAccount(ACCOUNT_INDEX.admin).address;
const post = (path: string, body: unknown) => callApi(api, path, { method: "POST", body });

async function keep(place: number, approvalPeriods = 4) {
  const account = keyOf(place);
  const { body: prepared } = await post("/prepare/permit", { from: account.address, token, approvalPeriods });
  const { domain, types, primaryType, message } = Object(prepared.typedData);
  const signature = await account.signTypedData({ domain, types, primaryType, message });
  const signed = { from: account.address, token, value: prepared.valueRaw, deadline: prepared.deadline, signature };
  const { status, body } = await post("/permits", signed);
  expect(status).toBe(201);
  return { permitId: String(body.id), signature, value: BigInt(String(prepared.valueRaw)), deadline: message.deadline };
}

/** Stores a permit as if it had been kept, whatever is wrong with it. */
async function store(place: number, changes: Partial<KeptPermit> = {}, signed: Partial<KeptPermit> = {}) {
  const owner = changes.owner ?? keyOf(place).address;
  const { timestamp } = await client.getBlock();
  const allowance = RENEWAL_AMOUNT - (RENEWAL_AMOUNT * 2n) / 100n;
  const permit = { owner, spender: contract, value: 10n * RENEWAL_AMOUNT, nonce: 0n, deadline: timestamp + 86_400n };
  const kept = { ...permit, token, isOfKey: true, allowance, ...changes };
  const { Permit } = PERMIT_TYPES;
  const signature = await keyOf(place).signTypedData({
    domain: { name: "USD Coin", version: "2", chainId: TEST_CHAIN_ID, verifyingContract: token },
    types: { Permit },
    primaryType: "Permit",
    message: { ...kept, ...signed },
  });
  const hash: Hex = `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`;
  const blockTimestamp = 0n;
  const row = { id: crypto.randomUUID(), chainId: TEST_CHAIN_ID, contract, hash, blockTimestamp, now: new Date() };
  await storePermit(database, { ...row, permit: { ...kept, signature } });
  return { ...kept, signature };
}

async function plan() {
  const { status, body } = await callApi(api, "/remit/plan?first=100");
  expect(status).toBe(200);
  // The API checks its answers in tests.
  return body as unknown as RemitPlanAnswer;
}

const ownersSaved = async () => (await plan()).permits.map(({ owner }) => owner);
const keeper = devnet.keeper.address;
const submit = (permit: KeptPermit) => send(client, { from: keeper, to: permit.token, data: encodePermit(permit) });

async function walletOfOwner(): Promise<Address> {
  const { body } = await callApi(api, `/subscriptions/${id}/subscribers`);
  const known = Array.from({ length: 7 }, (_, place) => keyOf(place).address);
  const rows: { subscriber: Address }[] = Object(body).subscribers;
  const wallet = rows.find(({ subscriber }) => !known.includes(subscriber));
  if (wallet === undefined) throw new Error("the scenario has a wallet that is a contract");
  return wallet.subscriber;
}

describe("beside the plan", () => {
  test("are the kept permits that save failing payments, and the plan after them; nothing else counts them", async () => {
    const owner = keyOf(SAVED).address;
    const before = await plan();
    expect(before).toMatchObject({ permits: [], afterPermits: null });
    expect(before.totals).toMatchObject({ payments: 8, failures: 8 });
    const { body: health } = await callApi(api, `/accounts/${owner}/health`);
    const { permitId, signature } = await keep(SAVED);
    const { permits, afterPermits, asOf: _, ...same } = await plan().then((body) => Object(body));
    const { permits: __, afterPermits: ___, asOf: ____, ...rest } = Object(before);
    expect(same).toEqual(rest);
    const fee = (RENEWAL_AMOUNT * 2n) / 100n;
    expect(permits).toMatchObject([
      { id: permitId, token, owner, payments: 1, saves: [{ transaction: 0, id }], callerFee: { amountRaw: `${fee}` } },
    ]);
    expect(afterPermits.totals).toMatchObject({ payments: 8, failures: 7, callerFees: [{ amountRaw: `${fee}` }] });
    expect(afterPermits.source).toBe("simulated");
    expect(JSON.stringify(permits)).not.toContain(signature.slice(2, 40));
    expect(Value.Check(RemitPlanAnswer.properties.permits, permits)).toBe(true);
    const { body: healthAfter } = await callApi(api, `/accounts/${owner}/health`);
    expect({ ...healthAfter, asOf: null, requestId: null }).toEqual({ ...health, asOf: null, requestId: null });
  });

  test("a check for a keeper has the same, and the cacheable readiness has no permits", async () => {
    const { permits, afterPermits } = await plan();
    const { body } = await post("/check_remit_readiness", { from: keeper });
    expect(body).toMatchObject({ permits, afterPermits: { totals: { failures: afterPermits?.totals.failures } } });
    expect(body).toMatchObject({ totals: { failures: 8 } });
    const { status, body: cached } = await callApi(api, `/remit/readiness?from=${keeper}`);
    expect([status, cached.permits]).toEqual([200, permits]);
  });

  test("a permit that was withdrawn or replaced is not", async () => {
    const { permitId } = await keep(WITHDRAWN);
    expect(await ownersSaved()).toContain(keyOf(WITHDRAWN).address);
    const message = withdrawalMessage({ permitId, chainId: TEST_CHAIN_ID });
    const signature = await keyOf(WITHDRAWN).signMessage({ message });
    await callApi(api, `/permits/${permitId}?signature=${signature}`, { method: "DELETE" });
    expect(await ownersSaved()).not.toContain(keyOf(WITHDRAWN).address);
    const first = await keep(REPLACED, 4);
    const second = await keep(REPLACED, 8);
    const ids = (await plan()).permits.map((permit) => permit.id);
    expect([ids.includes(first.permitId), ids.includes(second.permitId)]).toEqual([false, true]);
  });

  test("nor one that was used, whose allowance has changed since, or that has expired", async () => {
    const snapshot = await client.snapshot();
    const used = await store(USED);
    await store(CHANGED);
    const { timestamp } = await client.getBlock();
    await store(EXPIRED, { deadline: timestamp - 1n });
    const places = [USED, CHANGED, EXPIRED];
    const shown = async () => {
      const owners = await ownersSaved();
      return places.map((place) => owners.includes(keyOf(place).address));
    };
    expect(await shown()).toEqual([true, true, false]);
    await submit(used);
    // Used, and its allowance is gone again.
    const allowed = used.allowance;
    const target = { client, contract, admin };
    await fund(target, token, keyOf(USED).address, 100n * RENEWAL_AMOUNT, allowed);
    await fund(target, token, keyOf(CHANGED).address, 100n * RENEWAL_AMOUNT, allowed + 1n);
    expect(await shown()).toEqual([false, false, false]);
    await client.revert({ id: snapshot });
  });

  test.each<[string, Partial<KeptPermit>, Partial<KeptPermit>]>([
    ["another owner's", {}, { owner: contract }],
    ["another contract's", {}, { spender: keeper }],
    ["another value's", {}, { value: 1n }],
    ["that saves too little", { value: RENEWAL_AMOUNT - 1n }, {}],
  ])("nor one %s", async (_, changes, signed) => {
    await store(FORGED, changes, signed);
    expect(await ownersSaved()).not.toContain(keyOf(FORGED).address);
  });

  test("nor one of an account whose transfers the token refuses: remit() would revert for everybody", async () => {
    await store(FORGED);
    expect(await ownersSaved()).toContain(keyOf(FORGED).address);
    const snapshot = await client.snapshot();
    const args = [keyOf(FORGED).address, true] as const;
    const data = encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args });
    await send(client, { from: admin, to: token, data });
    const { permits, totals } = await plan();
    expect(permits.map(({ owner }) => owner)).not.toContain(keyOf(FORGED).address);
    expect(permits.map(({ owner }) => owner)).toContain(keyOf(SAVED).address);
    expect(totals.payments).toBe(8);
    await client.revert({ id: snapshot });
  });

  test("nor one of a wallet that changes its mind, until it honours it again", async () => {
    const owner = await walletOfOwner();
    await store(WALLET_OWNER, { owner, isOfKey: false });
    const changeMind = (hasChanged: boolean) => {
      const data = encodeFunctionData({ abi: fickleWalletAbi, functionName: "changeMind", args: [hasChanged] });
      return send(client, { from: keyOf(WALLET_OWNER).address, to: owner, data });
    };
    expect(await ownersSaved()).toContain(owner);
    await changeMind(true);
    expect(await ownersSaved()).not.toContain(owner);
    await changeMind(false);
    expect(await ownersSaved()).toContain(owner);
  });

  test("where the database does not answer, the plan is made all the same, and says that permits are not known", async () => {
    await store(SAVED);
    const proxy = await startTcpProxy();
    const address = new URL(testDatabase.url);
    proxy.pointAt(Number(address.port));
    address.port = String(proxy.port);
    const away = connectDatabase({ url: address.href, deadlineMs: 5_000 });
    const parts = { rpcUrl: url, contract, clock: () => NOW * 1000 };
    const alone = await startTestApi({ ...parts, database: { url: address.href, database: away } });
    const codes = (body: unknown) => Object(body).warnings.map(({ code }: { code: string }) => code);
    const ask = () =>
      Promise.all([
        callApi(alone, "/remit/plan?first=100"),
        callApi(alone, "/check_remit_readiness", { method: "POST", body: { from: keeper } }),
      ]);
    const known = await ask();
    for (const { body } of known) expect(codes(body)).not.toContain("PERMITS_UNKNOWN");
    // A port that nobody listens on.
    proxy.pointAt(1);
    proxy.cut();
    for (const [index, { status, body }] of (await ask()).entries()) {
      expect([status, codes(body)]).toEqual([200, expect.arrayContaining(["PERMITS_UNKNOWN"])]);
      expect(body).toMatchObject({ permits: [], afterPermits: null });
      // Without permits the model does not run, so the amounts by token are not known.
      const { byToken: _, ...totals } = Object(known[index]?.body).totals;
      expect(Object(body).totals).toEqual(totals);
    }
    await alone.stop();
    await away.close();
    await proxy.stop();
  });

  test("and signatures are for developers alone", async () => {
    expect((await callApi(api, `/permits?token=${token}`)).status).toBe(403);
    const developer = openPortalBrowser(api, api.url);
    await developer.signIn(keyOf(SAVED));
    expect((await developer.send(`/permits?token=${token}`)).status).toBe(200);
  });
});
