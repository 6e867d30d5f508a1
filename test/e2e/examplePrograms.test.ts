import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createDueday } from "@dueday/sdk";
import { startDueday } from "@dueday/testkit";
import { createPublicClient, createWalletClient, http, parseAbi, parseEther } from "viem";
import { foundry } from "viem/chains";
import { startProcess } from "./startProcess";

setDefaultTimeout(120_000);

const stack = await startDueday();
afterAll(() => stack.stop());
const { url, rpcUrl, contract, tokens, wallets, subscriptions } = stack;

async function runExample(name: string, env: Record<string, string>, ...own: string[]) {
  const args = ["--api", url, "--rpc", rpcUrl, "--contract", contract, ...own];
  const example = await startProcess(`examples/${name}.ts`, { args, env });
  try {
    return { code: await example.exited(), output: await example.output() };
  } finally {
    await example.dispose();
  }
}

test("settleOverMcp.ts settles one page of the backlog over MCP, and prints both sides of it", async () => {
  const { code, output } = await runExample("settleOverMcp", { KEEPER_PRIVATE_KEY: wallets.keeper.privateKey });
  for (const step of ["initialize", "tools/list", "get_remit_readiness", "prepare_remit", "get_transaction_status"])
    expect(output).toContain(step);
  expect(output).toContain('status: "success"');
  expect(output).toContain('code: "VALIDATION_ERROR"');
  expect(code).toBe(0);
});

test("subscribeOverHttp.ts subscribes a wallet that has only tokens and ether, and a second time it names the reason why it can't", async () => {
  const newcomer = wallets.keeper;
  const id = subscriptions["daily-letter"] ?? "0x";
  const node = createWalletClient({ account: newcomer.address, chain: foundry, transport: http(rpcUrl) });
  const abi = parseAbi(["function mint(address, uint256)"]);
  const args = [newcomer.address, parseEther("1000")] as const;
  for (const { address } of tokens) await node.writeContract({ address, abi, functionName: "mint", args });
  await stack.caughtUp();

  const env = { SUBSCRIBER_PRIVATE_KEY: newcomer.privateKey };
  const first = await runExample("subscribeOverHttp", env, "--id", id);
  expect(first.output).toContain("subscribed");
  expect(first.output).toMatch(/approve \d+ confirmed: 0x[0-9a-f]{64} \(Approval\)/);
  expect(first.output).toMatch(/subscribe confirmed: 0x[0-9a-f]{64} \(.*Subscribed.*\)/);
  expect(first.code).toBe(0);
  // Without minBlock the account may be read at a head of up to two seconds ago.
  const minBlock = await createPublicClient({ chain: foundry, transport: http(rpcUrl) }).getBlockNumber();
  const { subscribedTo } = await createDueday({ baseUrl: url }).getAccount({ address: newcomer.address }, { minBlock });
  expect(subscribedTo).toMatchObject([{ subscription: { id }, status: 0 }]);

  const second = await runExample("subscribeOverHttp", env, "--id", id);
  expect(second.output).toContain("ALREADY_SUBSCRIBED");
  expect(second.code).toBe(1);
});
