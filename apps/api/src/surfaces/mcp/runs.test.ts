import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectMcp, type McpSession } from "@dueday/api/test/connectMcp";
import { planId } from "@dueday/api/test/demoArguments";
import { type Signable, signAndSend } from "@dueday/api/test/signAndSend";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { fund } from "@dueday/devnet/scenarios/actions";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Hex } from "viem";

const { api, devnet, stop } = await startDemoApi();
let mcp: McpSession;
let state: Hex;

beforeAll(async () => {
  mcp = await connectMcp(api);
  await mcp.client.listTools();
});
beforeEach(async () => {
  if (state !== undefined) await devnet.client.revert({ id: state });
  state = await devnet.client.snapshot();
});
afterAll(async () => {
  await mcp.close();
  await stop();
});

/** Calls a tool that has to succeed. */
async function ask(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, body, text } = await mcp.call(name, given);
  if (isError) throw new Error(`${name}: ${text}`);
  return body;
}

async function requireConfirmed(hashes: readonly Hex[]): Promise<void> {
  for (const txHash of hashes)
    expect(await ask("get_transaction_status", { txHash })).toMatchObject({ status: "success", confirmed: true });
}

test("a keeper settles the whole backlog over MCP alone, in the planned transactions", async () => {
  const { keeper } = devnet;
  const from = keeper.address;
  const { expectedTransactions, totalPayments } = await ask("check_remit_readiness", { from });
  let sent = 0;
  let readiness = await ask("check_remit_readiness", { from });
  while (readiness.ready === true) {
    const prepared = await ask("prepare_remit", { from });
    const receipts = await signAndSend(devnet.url, keeper, signable(prepared));
    await requireConfirmed(receipts.map(({ transactionHash }) => transactionHash));
    sent += receipts.length;
    readiness = await ask("check_remit_readiness", { from });
  }
  expect(readiness).toMatchObject({ ready: false, caughtUp: true, totalPayments: 0 });
  expect([sent, Number(totalPayments) > 0]).toEqual([Number(expectedTransactions), true]);
  const { isError, body } = await mcp.call("prepare_remit", { from });
  expect([isError, body.code]).toEqual([true, "NOT_READY"]);
}, 180_000);

test("a wallet without allowance subscribes over MCP alone: approve and subscribe as one batch", async () => {
  const wallet = testAccount(ACCOUNT_INDEX.firstSubscriber + 59);
  const id = planId(devnet);
  const given = { from: wallet.address, id };
  const { subscription } = await ask("get_subscription", { id });
  const { token, amountRaw } = Object(subscription);
  const admin = testAccount(ACCOUNT_INDEX.admin).address;
  const target = { client: devnet.client, contract: devnet.contract, admin };
  const poor = await mcp.call("prepare_subscribe_by_id", given);
  expect([poor.isError, poor.body.code]).toEqual([true, "NOT_READY"]);

  await fund(target, token, wallet.address, BigInt(amountRaw) * 10n, 0n);
  expect(await ask("check_subscribe_readiness_by_id", given)).toMatchObject({ ready: true, needsApproval: true });
  const prepared = await ask("prepare_subscribe_by_id", given);
  expect(prepared).toMatchObject({ signingMode: "eip5792", simulation: { success: true } });
  const receipts = await signAndSend(devnet.url, wallet, signable(prepared));
  expect(receipts).toHaveLength(2);
  await requireConfirmed(receipts.map(({ transactionHash }) => transactionHash));

  // Reads may describe a head that is a moment old.
  await waitUntil("it shows among the wallet's subscriptions", async () => {
    const { subscriptions } = await ask("get_account_subscriptions", { address: wallet.address, bySubscriber: true });
    return Object(subscriptions).some((row: Record<string, unknown>) => {
      return Object(row.subscription).id === id && row.statusLabel === "ACTIVE";
    });
  });
  const again = await mcp.call("prepare_subscribe_by_id", given);
  expect([again.isError, again.body.code]).toEqual([true, "NOT_READY"]);
});

/** The client held the answer against its schema, and the API against the whole one, which has addresses and hex. */
function signable(prepared: Record<string, unknown>): Signable {
  return prepared as unknown as Signable;
}
