import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAgent, settleBacklog, subscribe } from "@dueday/api/test/agentStories";
import { connectMcp, type McpSession } from "@dueday/api/test/connectMcp";
import { connectModernMcp } from "@dueday/api/test/connectModernMcp";
import { type Signable, signAndSend } from "@dueday/api/test/signAndSend";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId } from "@dueday/devnet/demoArguments";
import { fund } from "@dueday/devnet/scenarios/actions";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Hex } from "viem";

const { api, devnet, stop } = await startDemoApi();
let state: Hex;

beforeEach(async () => {
  if (state !== undefined) await devnet.client.revert({ id: state });
  state = await devnet.client.snapshot();
});
afterAll(stop);

describe.each([
  ["of revision 2025-11-25", () => connectMcp(api)],
  ["pinned to revision 2026-07-28", () => connectModernMcp(api, { mode: "pinned" })],
  ["that chooses the revision itself", () => connectModernMcp(api, { mode: "auto" })],
])("a client %s", (name, connect) => {
  test("settles the whole backlog by tools alone, in the planned transactions and under 100 KB", async () => {
    const mcp = await connect();
    // Then the client holds structured content against the schemas of the tools.
    await mcp.client.listTools();
    const agent = createAgent(mcp);
    await settleBacklog(agent, devnet);
    await mcp.close();
    console.log(`${name}: backlog in ${agent.calls} calls, ${agent.bytes} bytes`);
    expect(agent.bytes).toBeLessThan(100_000);
  }, 180_000);

  test("subscribes a wallet without allowance by tools alone, under 17 KB: the batch is in the answer twice, as transactions and for EIP-5792", async () => {
    const mcp = await connect();
    await mcp.client.listTools();
    const agent = createAgent(mcp);
    await subscribe(agent, devnet);
    await mcp.close();
    console.log(`${name}: subscribe in ${agent.calls} calls, ${agent.bytes} bytes`);
    expect(agent.bytes).toBeLessThan(17_000);
  }, 60_000);
});

test("one prepare_remit takes under 6 KB", async () => {
  const mcp = await connectMcp(api);
  const { bytes } = await mcp.call("prepare_remit", { from: devnet.keeper.address });
  await mcp.close();
  expect(bytes).toBeLessThan(6_000);
});

/**
 * An agent without a mind: it calls the tools that a prompt names, in the order in which they are named, and fills each argument from
 * the facts it has, by the argument's name. So it knows nothing but what prompts and tools describe.
 */
async function follow(mcp: McpSession, prompt: string, facts: Record<string, string>) {
  const { messages } = await mcp.client.getPrompt({ name: prompt, arguments: facts });
  const { tools } = await mcp.client.listTools();
  const schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const text: string = Object(messages[0]?.content).text;
  const steps = [...new Set(text.match(/\b(?:get|check|prepare)_\w+/g))].filter((name) => schemas.has(name));
  const known: Record<string, string> = { ...facts, address: facts.account ?? facts.from ?? "" };
  const call = async (name: string) => {
    const wanted = Object.keys(schemas.get(name)?.properties ?? {}).filter((key) => key in known);
    return mcp.call(name, Object.fromEntries(wanted.map((key) => [key, known[key]])));
  };
  return { steps, call, learn: (fact: Record<string, string>) => void Object.assign(known, fact) };
}

describe("by prompts and descriptions alone", () => {
  let mcp: McpSession;
  beforeEach(async () => {
    mcp = await connectMcp(api);
  });
  afterEach(() => mcp.close());

  test("settle_backlog leads to a settled backlog", async () => {
    const { steps, call, learn } = await follow(mcp, "settle_backlog", { from: devnet.keeper.address });
    expect(steps).toEqual(["get_remit_readiness", "get_protocol_state", "prepare_remit", "get_transaction_status"]);
    const [readiness = "", state = "", prepare = "", status = ""] = steps;
    expect((await call(readiness)).body).toMatchObject({ ready: true });
    const { contractAddress } = (await call(state)).body;
    let code: unknown = null;
    while (code === null) {
      const { isError, body } = await call(prepare);
      if (isError) code = body.code;
      else {
        expect(body.unsignedTransactions).toMatchObject([{ data: "0x7507ba39", value: "0", to: contractAddress }]);
        const [receipt] = await signAndSend(devnet.url, devnet.keeper, signable(body));
        learn({ txHash: receipt?.transactionHash ?? "" });
        expect((await call(status)).body).toMatchObject({ status: "success", confirmed: true });
      }
    }
    expect(code).toBe("NOT_READY");
    expect((await mcp.call("check_remit_readiness", { from: devnet.keeper.address })).body).toMatchObject({
      caughtUp: true,
    });
  }, 180_000);

  test("subscribe_wallet leads to a subscribed wallet", async () => {
    const wallet = testAccount(ACCOUNT_INDEX.firstSubscriber + 58);
    const facts = { from: wallet.address, id: planId(devnet) };
    const { steps, call, learn } = await follow(mcp, "subscribe_wallet", facts);
    expect(steps).toEqual([
      "get_subscription",
      "check_subscribe_readiness_by_id",
      "prepare_subscribe_by_id",
      "get_transaction_status",
    ]);
    const [read = "", check = "", prepare = "", status = ""] = steps;
    const { token, amountRaw } = Object((await call(read)).body.subscription);
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    const chain = { client: devnet.client, contract: devnet.contract, admin };
    await fund(chain, token, wallet.address, BigInt(amountRaw) * 10n, 0n);
    expect((await call(check)).body).toMatchObject({ ready: true });
    const { body } = await call(prepare);
    for (const { transactionHash } of await signAndSend(devnet.url, wallet, signable(body))) {
      learn({ txHash: transactionHash });
      expect((await call(status)).body).toMatchObject({ status: "success", confirmed: true });
    }
    expect((await call(prepare)).body).toMatchObject({ code: "NOT_READY" });
  });
});

test("the plan is a resource: the summary of the polled readiness, with the time it stays current", async () => {
  const mcp = await connectMcp(api);
  const { contents, _meta } = await mcp.client.readResource({ uri: "dueday://plan/31337" });
  const { asOf: _, ...plan } = JSON.parse(Object(contents[0]).text);
  const { asOf: __, ...readiness } = (await mcp.call("get_remit_readiness", {})).body;
  expect(plan).toEqual(readiness);
  expect(Number(_meta?.ttlMs)).toBeGreaterThan(0);
  await expect(mcp.client.readResource({ uri: "dueday://plan/1" })).rejects.toThrow("chain");
  await mcp.close();

  const modern = await connectModernMcp(api, { mode: "pinned" });
  expect(await modern.client.readResource({ uri: "dueday://plan" })).toMatchObject({ ttlMs: Number(_meta?.ttlMs) });
  const provider = await connectMcp(api, { query: "?toolsets=provider" });
  expect((await provider.client.listResources()).resources.map(({ uri }) => uri)).not.toContain("dueday://plan");
  await Promise.all([modern.close(), provider.close()]);
});

/** The client held the answer against its schema, and the API against the whole one, which has addresses and hex. */
function signable(prepared: Record<string, unknown>): Signable {
  return prepared as unknown as Signable;
}
