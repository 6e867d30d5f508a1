import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { openPortalBrowser } from "@dueday/api/test/portalBrowser";
import { type Signable, signAndSend } from "@dueday/api/test/signAndSend";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { withdrawalMessage } from "@dueday/core/permit/withdrawalMessage";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, encodeFunctionData, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { api, devnet, argumentsOf, stop } = await startDemoApi({ ADMIN_SECRET: "an admin secret for tests" });
afterAll(stop);

const plan = demoPlans.find(({ key }) => key === "reader");
if (plan === undefined) throw new Error("the demo has the plan");
const member = (place: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + plan.subscribers[0] + place);
const keyOf = (place: number) => privateKeyToAccount(member(place).privateKey);
const { token } = argumentsOf({ name: "get_approved_token", input: { properties: { token: {} } } });

const post = (path: string, body: unknown) => callApi(api, path, { method: "POST", body });
const allowanceOf = (owner: Address) =>
  devnet.client.readContract({
    address: token as Address, // an address of the demo
    abi: erc20Abi,
    functionName: "allowance",
    args: [owner, devnet.contract],
  });

/** Changes the allowance of an owner, so that a permit it has signed is over. */
const approveOther = (place: number) =>
  send(devnet.client, {
    from: member(place).address,
    to: token as Address, // an address of the demo
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [devnet.contract, 7n] }),
  });

/** Prepares a permit and signs it, as a wallet does with eth_signTypedData_v4. */
async function sign(place: number, approvalPeriods = 12) {
  const account = keyOf(place);
  const { body } = await post("/prepare/permit", { from: account.address, token, approvalPeriods });
  const { domain, types, primaryType, message } = Object(body.typedData);
  const signature = await account.signTypedData({ domain, types, primaryType, message });
  return {
    prepared: body,
    signed: { from: account.address, token, value: body.valueRaw, deadline: body.deadline, signature },
  };
}

const keep = async (place: number, approvalPeriods?: number) => {
  const { signed } = await sign(place, approvalPeriods);
  const { status, body } = await post("/permits", signed);
  return { signed, status, body, permitId: String(body.id) };
};

/** Answers of a prepare were checked against their schema by the API. */
const signable = (body: unknown) => body as Signable;

async function signIn(place: number) {
  const browser = openPortalBrowser(api, api.url);
  await browser.signIn(keyOf(place));
  return browser;
}

const developer = await signIn(9);

/** What a developer sees. */
async function list(query = "") {
  const { body } = await developer.send(`/permits?token=${token}${query}`);
  return Object(body) as {
    permits: { id: string; owner: string; signature: string }[];
    count: number;
    hasMore: boolean;
    nextSkip?: number;
    nextAfter: number | null;
  };
}

const withdrawal = (place: number, permitId: string) =>
  keyOf(place).signMessage({ message: withdrawalMessage({ permitId, chainId: 31_337 }) });

describe("a permit", () => {
  test("has the allowance of an approve for the token, and its domain is the token's", async () => {
    const { prepared } = await sign(0);
    const from = member(0).address;
    const { body } = await post("/prepare/approve", { from, token, approvalPeriods: 12 });
    expect(prepared.valueRaw).toBe(Object(body.preflight).approvalRaw);
    expect(prepared).toMatchObject({
      typedData: {
        domain: { chainId: 31_337, verifyingContract: token, version: "2" },
        message: { owner: from, spender: devnet.contract, nonce: "0", value: prepared.valueRaw },
      },
    });
  });

  test("is refused for a wallet that pays nothing in the token", async () => {
    const from = testAccount(ACCOUNT_INDEX.admin).address;
    const { status, body } = await post("/prepare/permit", { from, token, approvalPeriods: 12 });
    expect([status, body.code]).toEqual([409, "NOT_READY"]);
  });

  test("is kept once its signature is that of what the service builds again, and developers get it with its signature", async () => {
    const { status, body, signed, permitId } = await keep(1);
    expect([status, body]).toMatchObject([201, { owner: signed.from, token, valueRaw: signed.value, nonce: "0" }]);
    expect(body).not.toHaveProperty("signature");
    expect((await list()).permits).toContainEqual(
      expect.objectContaining({ id: permitId, owner: signed.from, signature: signed.signature }),
    );
    const anonymous = await callApi(api, `/permits?token=${token}`);
    expect([anonymous.status, anonymous.body.code]).toEqual([403, "LANE_REQUIRED"]);
    // The same again is the one that is kept.
    expect((await post("/permits", signed)).body).toMatchObject({ id: permitId });
    const { body: refused } = await post("/permits", { ...signed, value: `${BigInt(String(signed.value)) + 1n}` });
    expect(refused).toMatchObject({
      code: "VALIDATION_ERROR",
      issues: [{ path: "signature", code: "WRONG_SIGNATURE" }],
    });
  });

  test("replaces the owner's earlier one in the token, which is refused from then on", async () => {
    const first = await keep(2, 6);
    const second = await keep(2, 24);
    const owners = (await list()).permits.filter(({ owner }) => owner === first.signed.from);
    expect(owners.map(({ id }) => id)).toEqual([second.permitId]);
    const { status, body } = await post("/permits", first.signed);
    expect([status, body.code, Object(body).issues[0].path]).toEqual([409, "NOT_READY", "signature"]);
  });

  test("is listed by its owner, however many others are kept", async () => {
    const { signed, permitId } = await keep(1);
    await keep(2, 12);
    expect((await list(`&first=1&owner=${signed.from}&owner=${member(6).address}`)).permits).toMatchObject([
      { id: permitId },
    ]);
    expect((await list(`&owner=${member(6).address}`)).permits).toEqual([]);
  });

  /** Places of subscribers of another plan in the same token, who have no other permit. */
  const ofSeasonBox = [36, 37, 38, 39, 40, 41] as const;

  /** Keeps a permit of each, and returns their ids and the query that lists them alone. */
  async function keepEach(places: readonly number[]) {
    const ids: string[] = [];
    for (const place of places) ids.push((await keep(place)).permitId);
    return { ids, query: places.map((place) => `&owner=${member(place).address}`).join("") };
  }

  test("is listed in pages by skip as by after, with the number of the whole list on each", async () => {
    const { ids, query } = await keepEach(ofSeasonBox.slice(0, 3));
    expect(await list(query)).toMatchObject({ count: 3, hasMore: false, nextAfter: null });
    let [bySkip, byAfter] = [await list(`${query}&first=1`), await list(`${query}&first=1`)];
    for (const [place, id] of ids.entries()) {
      const hasMore = place < 2;
      expect(bySkip).toMatchObject({ permits: [{ id }], count: 3, hasMore });
      expect(byAfter).toMatchObject({ permits: [{ id }], count: 3, hasMore });
      expect(bySkip.nextSkip).toBe(hasMore ? place + 1 : undefined);
      if (!hasMore) continue;
      bySkip = await list(`${query}&first=1&skip=${bySkip.nextSkip}`);
      byAfter = await list(`${query}&first=1&after=${byAfter.nextAfter}`);
    }
    expect([bySkip.nextAfter, byAfter.nextAfter]).toEqual([null, null]);
    const { status, body } = await developer.send(`/permits?token=${token}&skip=1&after=1`);
    expect([status, body.issues]).toMatchObject([400, [{ path: "skip", code: "NOT_ALLOWED" }]]);
  });

  test("that a page finds to be over leaves list and count, and the next page by skip misses none", async () => {
    const { ids, query } = await keepEach(ofSeasonBox.slice(3));
    await approveOther(ofSeasonBox[3]);
    const first = await list(`${query}&first=2`);
    expect(first).toMatchObject({ permits: [{ id: ids[1] }], count: 2, hasMore: true, nextSkip: 1 });
    const second = await list(`${query}&first=2&skip=${first.nextSkip}`);
    expect(second).toMatchObject({ permits: [{ id: ids[2] }], count: 2, hasMore: false, nextAfter: null });
  });

  test("that is over does not stop a client that goes on by skip, even where a page has no other", async () => {
    const { ids, query } = await keepEach(ofSeasonBox.slice(0, 3));
    await approveOther(ofSeasonBox[0]);
    const first = await list(`${query}&first=1`);
    expect(first).toMatchObject({ permits: [{ id: ids[1] }], count: 2, hasMore: true, nextSkip: 1 });
    const second = await list(`${query}&first=1&skip=${first.nextSkip}`);
    expect(second).toMatchObject({ permits: [{ id: ids[2] }], count: 2, hasMore: false, nextAfter: null });
  });
});

describe("without signatures", () => {
  const ownersOf = async (address: string, query = "") => {
    const { body } = await callApi(api, `/accounts/${address}/permits${query}`);
    const { permits }: { permits: { id: string; owner: string }[] } = Object(body);
    return permits;
  };
  const provider = testAccount(ACCOUNT_INDEX.firstProvider + plan.provider).address;

  test("anybody sees what is on file for an account, and a provider what its subscribers have signed", async () => {
    const { signed, permitId } = await keep(7);
    const own = await ownersOf(signed.from);
    expect(own).toEqual([expect.objectContaining({ id: permitId, owner: signed.from, valueRaw: signed.value })]);
    expect(JSON.stringify(own)).not.toContain(signed.signature.slice(2));
    expect(await ownersOf(provider)).toEqual([]);
    const ofSubscribers = await ownersOf(provider, "?role=provider");
    expect(ofSubscribers).toEqual(expect.arrayContaining(own));
    expect(await ownersOf(signed.from, "?role=provider")).toEqual([]);
    expect(await ownersOf(provider, "?role=provider&first=1")).toEqual(ofSubscribers.slice(0, 1));
    expect(await ownersOf(provider, "?role=provider&skip=1")).toEqual(ofSubscribers.slice(1));
    const { body: asProvider } = await callApi(api, `/accounts/${provider}/permits?role=provider&first=1`);
    expect(asProvider).toMatchObject({ count: ofSubscribers.length, hasMore: ofSubscribers.length > 1 });
    const { body } = await callApi(api, `/accounts/${signed.from}/permits`);
    expect(body).toMatchObject({ count: 1, hasMore: false, nextAfter: null });
  });

  test("a permit that no longer counts is on file for nobody", async () => {
    const { signed } = await keep(0);
    await approveOther(0);
    expect(await ownersOf(signed.from)).toEqual([]);
    expect((await ownersOf(provider, "?role=provider")).map(({ owner }) => owner)).not.toContain(signed.from);
  });
});

describe("withdrawing", () => {
  test("needs the owner's signature or portal session, and the permit is refused from then on", async () => {
    const { signed, permitId } = await keep(3);
    const path = `/permits/${permitId}`;
    expect((await callApi(api, path, { method: "DELETE" })).body.code).toBe("UNAUTHORIZED");
    const stranger = await withdrawal(1, permitId);
    expect((await callApi(api, `${path}?signature=${stranger}`, { method: "DELETE" })).body).toMatchObject({
      code: "VALIDATION_ERROR",
      issues: [{ path: "signature" }],
    });
    expect((await (await signIn(1)).send(path, { method: "DELETE" })).body.code).toBe("UNAUTHORIZED");
    const own = await withdrawal(3, permitId);
    expect((await callApi(api, `${path}?signature=${own}`, { method: "DELETE" })).body.id).toBe(permitId);
    expect((await list()).permits.map(({ id }) => id)).not.toContain(permitId);
    expect((await post("/permits", signed)).body.code).toBe("NOT_READY");
    expect((await callApi(api, `${path}?signature=${own}`, { method: "DELETE" })).body.code).toBe("NOT_FOUND");
    const other = await keep(3, 24);
    expect((await (await signIn(3)).send(`/permits/${other.permitId}`, { method: "DELETE" })).body.id).toBe(
      other.permitId,
    );
  });

  test("an agent gets the text that the owner has to sign, and with a key of the owner needs no signature", async () => {
    const agent = await connectMcp(api);
    const { permitId } = await keep(7, 6);
    const asked = await agent.call("withdraw_permit", { permitId });
    const [message = ""] = /Withdraw the permit .*/.exec(String(asked.body.error)) ?? [];
    expect([asked.body.code, message]).toEqual(["UNAUTHORIZED", withdrawalMessage({ permitId, chainId: 31_337 })]);
    const signature = await keyOf(7).signMessage({ message });
    expect((await agent.call("withdraw_permit", { permitId, signature })).body.id).toBe(permitId);
    expect((await agent.call("withdraw_permit", { permitId, signature })).body.code).toBe("NOT_FOUND");
    await agent.close();

    const created = await (await signIn(7)).send("/portal/keys", { method: "POST", body: {} });
    const headers = { Authorization: `Bearer ${created.body.key}` };
    const owner = await connectMcp(api, { headers });
    const [own, foreign] = [await keep(7, 18), await keep(1, 24)];
    expect((await owner.call("withdraw_permit", { permitId: own.permitId })).body.id).toBe(own.permitId);
    expect((await owner.call("withdraw_permit", { permitId: foreign.permitId })).body.code).toBe("UNAUTHORIZED");
    await owner.close();
  });
});

describe("submitting", () => {
  test("is for any wallet; then the allowance is the signed one, and the permit is dropped", async () => {
    const { signed, permitId } = await keep(4);
    const keeper = testAccount(ACCOUNT_INDEX.admin);
    const { body } = await post("/prepare/submit_permit", { from: keeper.address, permitId });
    expect(body).toMatchObject({ signingMode: "raw", preflight: { owner: signed.from, amountRaw: signed.value } });
    await signAndSend(devnet.url, keeper, signable(body));
    expect(await allowanceOf(member(4).address)).toBe(BigInt(String(signed.value)));
    const again = await post("/prepare/submit_permit", { from: keeper.address, permitId });
    expect(again.body).toMatchObject({ code: "NOT_READY", issues: [{ code: "EXPIRED", path: "permitId" }] });
    expect((await list()).permits.map(({ id }) => id)).not.toContain(permitId);
    expect((await post("/prepare/submit_permit", { from: keeper.address, permitId })).body.code).toBe("NOT_FOUND");
  });

  test("with revoke uses its nonce up and leaves an allowance of 0; only its owner can", async () => {
    const { permitId } = await keep(5);
    const stranger = await post("/prepare/submit_permit", { from: member(4).address, permitId, revoke: true });
    expect(stranger.body).toMatchObject({ code: "NOT_READY", issues: [{ path: "from" }] });
    const { body } = await post("/prepare/submit_permit", { from: member(5).address, permitId, revoke: true });
    expect(Object(body).unsignedTransactions).toHaveLength(2);
    await signAndSend(devnet.url, member(5), signable(body));
    expect(await allowanceOf(member(5).address)).toBe(0n);
    const stored = (await list()).permits.map(({ id }) => id);
    expect(stored).not.toContain(permitId);
  });

  test("is refused once the allowance has changed since it was signed, but for its owner who revokes it", async () => {
    const { permitId } = await keep(6);
    const data: Hex = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [devnet.contract, 1n] });
    const from = member(6).address;
    await send(devnet.client, { from, to: String(token) as Address, data }); // an address of the demo
    expect((await post("/prepare/submit_permit", { from, permitId })).body.code).toBe("NOT_READY");
    const { body } = await post("/prepare/submit_permit", { from, permitId, revoke: true });
    await signAndSend(devnet.url, member(6), signable(body));
    expect(await allowanceOf(from)).toBe(0n);
  });
});

describe("what an owner has signed, in place of the id", () => {
  const submit = (place: number, fields: object) =>
    post("/prepare/submit_permit", { from: member(place).address, ...fields });
  const fieldsOf = ({ token, value, deadline, signature }: Awaited<ReturnType<typeof sign>>["signed"]) => ({
    token,
    value,
    deadline,
    signature,
  });

  test("ends a withdrawn permit for good: its nonce is used up, and the allowance is 0", async () => {
    // Another allowance than those that this account has withdrawn above: the same permit would be refused.
    const { signed, permitId } = await keep(3, 36);
    const withdrawn = await withdrawal(3, permitId);
    await callApi(api, `/permits/${permitId}?signature=${withdrawn}`, { method: "DELETE" });
    const byId = await submit(3, { permitId, revoke: true });
    expect([byId.status, byId.body.code]).toEqual([404, "NOT_FOUND"]);
    const { status, body } = await submit(3, { ...fieldsOf(signed), revoke: true });
    expect([status, Object(body).unsignedTransactions.length]).toEqual([200, 2]);
    await signAndSend(devnet.url, member(3), signable(body));
    expect(await allowanceOf(member(3).address)).toBe(0n);
    const used = await submit(3, fieldsOf(signed));
    expect(used.body).toMatchObject({ code: "VALIDATION_ERROR", issues: [{ path: "signature" }] });
  });

  test("is submitted without keeping it, and is refused for another wallet, with an id, or without a part", async () => {
    const { signed } = await sign(7);
    const fields = fieldsOf(signed);
    const issueOf = async (place: number, others: object) => {
      const { status, body } = await submit(place, { ...fields, ...others });
      return [
        status,
        ...Object(body).issues.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`),
      ];
    };
    expect(await issueOf(2, {})).toEqual([400, "WRONG_SIGNATURE signature"]);
    expect(await issueOf(7, { permitId: crypto.randomUUID() })).toEqual([400, "CONTRADICTION token"]);
    expect(await issueOf(7, { signature: undefined })).toEqual([400, "REQUIRED signature"]);
    expect(await issueOf(7, { token: undefined })).toEqual([400, "REQUIRED permitId"]);
    expect(await issueOf(7, { deadline: "1" })).toEqual([400, "EXPIRED deadline"]);
    expect(await issueOf(7, { deadline: "9".repeat(78) })).toEqual([400, "OUT_OF_RANGE deadline"]);
    const { body } = await submit(7, fields);
    expect(body).toMatchObject({ preflight: { owner: signed.from, amountRaw: signed.value } });
    await signAndSend(devnet.url, member(7), signable(body));
    expect(await allowanceOf(member(7).address)).toBe(BigInt(String(signed.value)));
  });
});

test("a value above 2^256 - 1 is refused as the field that it is", async () => {
  const { signed } = await sign(3);
  const { status, body } = await post("/permits", { ...signed, value: (2n ** 256n).toString() });
  expect([status, body.issues]).toEqual([
    400,
    [{ code: "OUT_OF_RANGE", path: "value", message: "must be at most 2^256 - 1, the largest allowance" }],
  ]);
});
