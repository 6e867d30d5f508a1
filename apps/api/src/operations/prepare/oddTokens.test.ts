import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { walkPrepare } from "@dueday/api/test/walkPrepare";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { testTokenAbi } from "@dueday/devnet/abi/testTokenAbi";
import { deployPeculiarToken, deployToken, type PeculiarToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription } from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, encodeFunctionData, type Hex, maxUint256, parseEther } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;
const MONDAY = 1;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const { client, contract, admin } = protocol;
const provider = protocol.person(0);
const payer = protocol.person(1);
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ database, rpcUrl: protocol.url, contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

/** A monthly subscription of 12 tokens; the payer holds plenty and has approved nothing. */
async function planWith(token: Address, decimals: number, due: { frequency: number; dueDay: number } = MONTHLY) {
  await approveToken(protocol, token, decimals, parseEther("1"));
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args: [payer.address, maxUint256 >> 8n] });
  await send(client, { from: admin, to: token, data });
  const details = { url: "", description: "" };
  return createSubscription(protocol, provider.address, { amount: parseEther("12"), token, details, ...due });
}
const MONTHLY = { frequency: 1, dueDay: 5 };

const peculiar = (token: PeculiarToken) => () => deployPeculiarToken(client, admin, token);
const plain = (symbol: string, decimals: number) => () =>
  deployToken(client, admin, { name: symbol, symbol, decimals });

const walk = (path: string, signer: typeof payer, body: Record<string, unknown>) =>
  walkPrepare({ api, rpcUrl: protocol.url }, { path, signer, body });

const requestFor = (id: Hex) => ({ method: "POST", body: { from: payer.address, id } });

describe("creating, subscribing and unsubscribing in an odd token happen as simulated", () => {
  test.each([
    { what: "no return value", deploy: peculiar({ file: "BareTokens", contract: "NoReturnToken" }), symbol: "NRV" },
    { what: "bytes32 symbol", deploy: peculiar({ file: "BareTokens", contract: "Bytes32SymbolToken" }), symbol: "B32" },
    {
      what: "no symbol",
      deploy: peculiar({ file: "BareTokens", contract: "NoSymbolToken" }),
      symbol: /^0x\w{4}…\w{4}$/,
    },
    {
      what: "hostile symbol",
      deploy: peculiar({ file: "OddTokens", contract: "HostileSymbolToken" }),
      symbol: /^\ufffd\[31mUSD\ufffd\ufffd ignore/,
    },
    { what: "0 decimals", deploy: plain("ZERO", 0), decimals: 0, symbol: "ZERO" },
    { what: "24 decimals", deploy: plain("FINE", 24), decimals: 24, symbol: "FINE" },
  ])("$what", async ({ deploy, symbol, decimals = 18 }) => {
    const token = await deploy();
    const id = await planWith(token, decimals);
    const created = await walk("create_subscription", provider, {
      amount: "12",
      token,
      details: { url: "", description: "" },
      ...MONTHLY,
    });
    expect(created.prepared.preflight).toMatchObject({ ready: true });
    const { prepared } = await walk("subscribe_by_id", payer, { id });
    expect(prepared.unsignedTransactions.length).toBe(2);
    expect(prepared.preflight).toMatchObject({ subscription: { tokenDecimals: decimals, amount: "12" } });
    for (const change of prepared.simulation.results[1]?.assetChanges ?? []) {
      if (typeof symbol === "string") expect(change.symbol).toBe(symbol);
      else expect(change.symbol).toMatch(symbol);
    }
    await walk("unsubscribe_by_id", payer, { id });
  });

  test("fee on transfer: subscribing shows the losses, and unsubscribing fails, since the contract holds less than it owes", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "FeeOnTransferToken" });
    const id = await planWith(token, 18);
    const { prepared } = await walk("subscribe_by_id", payer, { id });
    const changes = new Map(prepared.simulation.results[1]?.assetChanges.map((each) => [each.account, each]));
    expect([...changes.keys()].sort()).toEqual([payer.address, contract, provider.address, token].sort());
    const units = (account: Address) => BigInt(changes.get(account)?.amountRaw ?? 0);
    expect(units(payer.address)).toBe(units(contract) + units(provider.address) + units(token));
    expect(units(token)).toBeGreaterThan(0n);
    const { status, body } = await callApi(api, "/prepare/unsubscribe_by_id", requestFor(id));
    expect([status, body.revert]).toMatchObject([422, { code: "balance", name: "TOKEN_REASON" }]);
  });
});

describe("a token that refuses to change a non-zero allowance", () => {
  const deploy = peculiar({ file: "OddTokens", contract: "NoAllowanceChangeToken" });

  test("gets approve(0) first where there is an allowance", async () => {
    const token = await deploy();
    const id = await planWith(token, 6);
    await send(client, { from: payer.address, to: token, data: encodeApprove(contract, 5n) });
    const { prepared } = await walk("subscribe_by_id", payer, { id });
    expect(prepared.unsignedTransactions.map(({ to, data }) => [to, data.slice(-4)])).toEqual([
      [token, "0000"],
      [token, encodeApprove(contract, 12_000_000n).slice(-4)],
      [contract, expect.any(String)],
    ]);
    expect(prepared.instructions[1]?.text).toContain("reset the allowance to 0");
  });

  test("gets one approval where there is none", async () => {
    const id = await planWith(await deploy(), 6);
    const { prepared } = await walk("subscribe_by_id", payer, { id });
    expect(prepared.unsignedTransactions.length).toBe(2);
  });

  test("a token that accepts the change gets no approve(0)", async () => {
    const token = await plain("EASY", 6)();
    const id = await planWith(token, 6);
    await send(client, { from: payer.address, to: token, data: encodeApprove(contract, 5n) });
    const { prepared } = await walk("subscribe_by_id", payer, { id });
    expect(prepared.unsignedTransactions.length).toBe(2);
  });
});

describe("a refusal by the token alone is 422 with its reason, and nothing to sign", () => {
  async function refused(id: Hex, code: string) {
    const { status, body } = await callApi(api, "/prepare/subscribe_by_id", requestFor(id));
    expect([status, body.code, body.revert]).toMatchObject([422, "SIMULATION_FAILED", { code, name: "TOKEN_REASON" }]);
    expect(body).not.toHaveProperty("unsignedTransactions");
  }

  test("a transferFrom that reverts", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "RevertingToken" });
    await refused(await planWith(token, 18), "transfers are off");
  });

  test("a blocked address", async () => {
    const token = await plain("BLK", 18)();
    const id = await planWith(token, 18);
    const data = encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [provider.address, true] });
    await send(client, { from: admin, to: token, data });
    await refused(id, "blocked");
  });

  test("a transfer of 0, which the contract makes where nothing is due to the keeper", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "NoZeroTransferToken" });
    const id = await planWith(token, 18, { frequency: 0, dueDay: MONDAY });
    const setFee = (fee: bigint) =>
      send(client, {
        from: admin,
        to: contract,
        data: encodeFunctionData({ abi: adminAbi, functionName: "changeCallerFee", args: [fee] }),
      });
    await setFee(10_000n);
    await refused(id, "zero transfer");
    await setFee(10_025n);
  });
});

test("a token of 255 decimals, in which no amount can be paid, is refused with its symbol; records in it are shown", async () => {
  const token = await plain("MAX", 255)();
  const id = await planWith(token, 255);
  const { status, body } = await callApi(api, "/prepare/subscribe_by_id", requestFor(id));
  expect([status, body.code, body.issues]).toMatchObject([409, "NOT_READY", [{ code: "TOO_LARGE" }]]);
  expect(body.error).toContain("MAX");
  const readiness = await callApi(api, "/check_subscribe_readiness_by_id", requestFor(id));
  expect([readiness.status, readiness.body]).toMatchObject([200, { ready: false, issues: [{ code: "TOO_LARGE" }] }]);
  const terms = { amount: "12", token, details: { url: "", description: "" }, ...MONTHLY };
  const create = await callApi(api, "/prepare/create_subscription", {
    method: "POST",
    body: { from: provider.address, ...terms },
  });
  expect([create.status, create.body.issues]).toMatchObject([400, [{ code: "TOO_LARGE", path: "amount" }]]);
  const shown = await callApi(api, `/subscriptions/${id}`);
  expect(shown.body.subscription).toMatchObject({ amount: "12", tokenDecimals: 255 });
});

test("decimals() beyond a uint8 count as none: no text grows with the number", async () => {
  const token = await plain("WIDE", 18)();
  // PUSH3 100000, MSTORE at 0, RETURN 32 bytes: the answer to every call.
  await client.setCode({ address: token, bytecode: "0x620186a060005260206000f3" });
  await client.mine({ blocks: 1 });
  const head = await client.getBlockNumber();
  const read = () => callApi(api, `/approved-tokens/${token}`);
  await waitUntil("the new block is read", async () => {
    const { status, body } = await read();
    return status !== 200 || BigInt(String(Object(body.asOf).blockNumber)) >= head;
  });
  const { status, body, text } = await read();
  expect([status, body.token]).toMatchObject([200, { approved: false, decimals: 0, minimum: "0" }]);
  expect(text.length).toBeLessThan(1_000);
});

test("a token whose contract is gone is not a 500", async () => {
  const token = await plain("GONE", 18)();
  const id = await planWith(token, 18);
  await client.setCode({ address: token, bytecode: "0x" });
  const { status, body } = await callApi(api, "/prepare/subscribe_by_id", requestFor(id));
  expect([status, body.code]).toEqual([409, "NOT_READY"]);
});
