import { expect } from "bun:test";
import { type Signable, signAndSend } from "@dueday/api/test/signAndSend";
import { planId } from "@dueday/devnet/demoArguments";
import { fund } from "@dueday/devnet/scenarios/actions";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Hex } from "viem";
import type { McpSession } from "./connectMcp";

/** What an agent calls, and what came back: calls, and bytes of the results. */
export type Agent = {
  calls: number;
  bytes: number;
  /** Calls a tool that has to succeed. */
  ask(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Calls a tool that has to refuse; returns the code. */
  refused(name: string, given: Record<string, unknown>): Promise<unknown>;
  /** `ask` without being counted. */
  unmeasured: Agent["ask"];
};

export function createAgent(mcp: Pick<McpSession, "call">): Agent {
  const ask = async (name: string, given: Record<string, unknown>) => {
    const { isError, body, text, bytes } = await mcp.call(name, given);
    if (isError) throw new Error(`${name}: ${text}`);
    return { body, bytes };
  };
  const count = (bytes: number) => {
    agent.calls += 1;
    agent.bytes += bytes;
  };
  const agent: Agent = {
    calls: 0,
    bytes: 0,
    async ask(name, given) {
      const { body, bytes } = await ask(name, given);
      count(bytes);
      return body;
    },
    async refused(name, given) {
      const { isError, body, bytes } = await mcp.call(name, given);
      count(bytes);
      return isError ? body.code : null;
    },
    unmeasured: async (name, given) => (await ask(name, given)).body,
  };
  return agent;
}

/** Settles the whole backlog by tools alone: readiness, then prepare and status for each transaction, then readiness again. */
export async function settleBacklog({ ask, refused }: Agent, { keeper, url }: Devnet): Promise<void> {
  const from = keeper.address;
  const { expectedTransactions, totalPayments } = await ask("get_remit_readiness", {});
  expect(Number(totalPayments)).toBeGreaterThan(0);
  for (let left = Number(expectedTransactions); left > 0; left -= 1) {
    const prepared = await ask("prepare_remit", { from });
    expect(Object(prepared.preflight)).toMatchObject({ ready: true, expectedTransactions: left });
    await requireConfirmed(ask, await signAndSend(url, keeper, signable(prepared)));
  }
  expect(await ask("check_remit_readiness", { from })).toMatchObject({
    ready: false,
    caughtUp: true,
    totalPayments: 0,
  });
  expect(await refused("prepare_remit", { from })).toBe("NOT_READY");
}

/** A wallet without allowance subscribes by tools alone: approve and subscribe as one batch. */
export async function subscribe({ ask, refused, unmeasured }: Agent, devnet: Devnet): Promise<void> {
  const wallet = testAccount(ACCOUNT_INDEX.firstSubscriber + 59);
  const id = planId(devnet);
  const given = { from: wallet.address, id };
  const { subscription } = await ask("get_subscription", { id });
  const { token, amountRaw } = Object(subscription);
  const admin = testAccount(ACCOUNT_INDEX.admin).address;
  expect(await refused("prepare_subscribe_by_id", given)).toBe("NOT_READY");

  await fund(
    { client: devnet.client, contract: devnet.contract, admin },
    token,
    wallet.address,
    BigInt(amountRaw) * 10n,
    0n,
  );
  expect(await ask("check_subscribe_readiness_by_id", given)).toMatchObject({ ready: true, needsApproval: true });
  const prepared = await ask("prepare_subscribe_by_id", given);
  expect(prepared).toMatchObject({ signingMode: "eip5792", simulation: { success: true } });
  const receipts = await signAndSend(devnet.url, wallet, signable(prepared));
  expect(receipts).toHaveLength(2);
  await requireConfirmed(ask, receipts);

  const listed = async (ask: Agent["ask"]) => {
    const { subscriptions } = await ask("get_account_subscriptions", { address: wallet.address, bySubscriber: true });
    return Object(subscriptions).some((row: Record<string, unknown>) => {
      return Object(row.subscription).id === id && row.statusLabel === "ACTIVE";
    });
  };
  // Reads may describe a head that is a moment old. How often that happens depends on the machine, so it is not measured.
  await waitUntil("it shows among the wallet's subscriptions", () => listed(unmeasured));
  await listed(ask);
  expect(await refused("prepare_subscribe_by_id", given)).toBe("NOT_READY");
}

async function requireConfirmed(ask: Agent["ask"], receipts: readonly { transactionHash: Hex }[]): Promise<void> {
  for (const { transactionHash: txHash } of receipts)
    expect(await ask("get_transaction_status", { txHash })).toMatchObject({ status: "success", confirmed: true });
}

/** The client has checked the answer against the schema of the tool, and the API against its own, which has the patterns of addresses and hex. */
function signable(prepared: Record<string, unknown>): Signable {
  return prepared as unknown as Signable;
}
