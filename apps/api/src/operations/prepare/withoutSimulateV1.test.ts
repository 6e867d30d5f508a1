import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { type Signable, signAndSend } from "@dueday/api/test/signAndSend";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { prepareFully } from "@dueday/api/test/walkPrepare";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { deployPeculiarToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { type NodeProxy, startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { type Address, type Hex, parseEther } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;
const MONDAY = 1;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const { client, contract, admin } = protocol;
const provider = protocol.person(0);
const payer = protocol.person(1);
let node: NodeProxy;
let api: TestApi;

beforeAll(async () => {
  node = startNodeProxy(protocol.url, { without: { methods: ["eth_simulateV1"], refusal: "-32601" } });
  api = await startTestApi({ database, rpcUrl: node.url, contract });
});
afterAll(async () => {
  await api.stop();
  await node.stop();
  await protocol.stop();
});

async function plan(token: Address): Promise<Hex> {
  await fund(protocol, token, payer.address, 10n ** 24n, 0n);
  const details = { url: "", description: "" };
  const terms = { amount: parseEther("12"), token, details, frequency: 1, dueDay: 5 };
  return createSubscription(protocol, provider.address, terms);
}

const prepare = (path: string, body: Record<string, unknown>) => prepareFully(api, path, body);

test("a single transaction is simulated by eth_call, its gas estimated by the node", async () => {
  const prepared = await prepare("create_subscription", {
    from: provider.address,
    amount: "12",
    token: await protocol.token("ONE", 18),
    details: { url: "", description: "" },
    frequency: 1,
    dueDay: 5,
  });
  expect(prepared.simulation).toMatchObject({
    success: true,
    method: "eth_call",
    results: [{ success: true, logs: [], assetChanges: [] }],
  });
  expect(prepared.gasEstimates).toMatchObject([{ source: "estimated" }]);
  const [receipt] = await signAndSend(protocol.url, provider, prepared as unknown as Signable); // by its schema
  expect(receipt?.status).toBe("success");
});

test("remit is simulated by eth_call", async () => {
  const token = await protocol.token("DUE", 18);
  await fund(protocol, token, payer.address, parseEther("1000"), parseEther("1000"));
  const details = { url: "", description: "" };
  const weekly = { amount: parseEther("12"), token, details, frequency: 0, dueDay: MONDAY };
  await subscribe(protocol, payer.address, await createSubscription(protocol, provider.address, weekly));
  const prepared = await prepare("remit", { from: provider.address });
  expect(prepared.simulation).toMatchObject({ success: true, method: "eth_call" });
  const [receipt] = await signAndSend(protocol.url, provider, prepared as unknown as Signable); // by its schema
  expect(receipt?.status).toBe("success");
});

describe("approve and subscribe", () => {
  test("are simulated with the allowance as a state override in the token's own slot", async () => {
    const token = await protocol.token("SLOT", 6);
    const id = await plan(token);
    const prepared = await prepare("subscribe_by_id", { from: payer.address, id });
    expect(prepared.simulation).toMatchObject({ method: "eth_call", results: [{ success: true }, { success: true }] });
    expect(prepared.gasEstimates.map(({ source }) => source)).toEqual(["estimated", "estimated"]);
    const receipts = await signAndSend(protocol.url, payer, prepared as unknown as Signable); // by its schema
    expect(receipts.map(({ status }) => status)).toEqual(["success", "success"]);
  });

  test("a revert that no rule predicts is found too", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "RevertingToken" });
    await approveToken(protocol, token, 18, 1n);
    const body = { from: payer.address, id: await plan(token) };
    const answer = await callApi(api, "/prepare/subscribe_by_id", { method: "POST", body });
    expect([answer.status, answer.body.revert]).toMatchObject([422, { code: "transfers are off" }]);
  });

  test("get approve(0) first where the token requires it", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "NoAllowanceChangeToken" });
    await approveToken(protocol, token, 6, 1n);
    const id = await plan(token);
    await send(client, { from: payer.address, to: token, data: encodeApprove(contract, 5n) });
    const prepared = await prepare("subscribe_by_id", { from: payer.address, id });
    expect(prepared.unsignedTransactions.length).toBe(3);
    expect(prepared.simulation.method).toBe("eth_call");
    const receipts = await signAndSend(protocol.url, payer, prepared as unknown as Signable); // by its schema
    expect(receipts.map(({ status }) => status)).toEqual(["success", "success", "success"]);
  });

  test("are checked by rules alone where the allowance slot is not found, with method rules", async () => {
    const token = await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "FarAllowanceToken" });
    await approveToken(protocol, token, 18, 1n);
    const id = await plan(token);
    const prepared = await prepare("subscribe_by_id", { from: payer.address, id });
    expect(prepared.simulation).toMatchObject({ success: true, method: "rules", results: [{ success: true }, {}] });
    expect(prepared.gasEstimates.map(({ source }) => source)).toEqual(["estimated", "heuristic"]);
  });
});
