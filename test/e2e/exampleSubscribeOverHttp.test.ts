import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { fund } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { parseEther } from "viem";
import { startProcess, type TestProcess } from "./startProcess";

const database = await createTestDatabase();
const newcomer = testAccount(500);
const started: TestProcess[] = [];
let devnet: Devnet;
let api: TestApi;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: 1_790_000_000 });
  await devnet.client.setBalance({ address: newcomer.address, value: parseEther("1") });
  api = await startTestApi({ database, rpcUrl: devnet.url, contract: devnet.contract });
});
afterAll(async () => {
  for (const each of started) await each.dispose();
  await api.stop();
  await devnet.stop();
});

async function runExample(id: string): Promise<{ code: number | null; output: string }> {
  const args = ["--api", api.url, "--rpc", devnet.url, "--id", id, "--contract", devnet.contract];
  const env = { SUBSCRIBER_PRIVATE_KEY: newcomer.privateKey };
  const example = await startProcess("examples/subscribeOverHttp.ts", { args, env });
  started.push(example);
  return { code: await example.exited(), output: await example.output() };
}

test("the example subscribes a wallet that has only tokens and ether, and a second time it names the reason why it can't", async () => {
  const id = devnet.subscriptions["daily-letter"] ?? "";
  const admin = testAccount(ACCOUNT_INDEX.admin).address;
  for (const token of devnet.tokens) {
    await fund(
      { client: devnet.client, contract: devnet.contract, admin },
      token,
      newcomer.address,
      parseEther("1000"),
      0n,
    );
  }
  const first = await runExample(id);
  expect(first.output).toContain("subscribed");
  expect(first.output).toMatch(/approve \d+ confirmed: 0x[0-9a-f]{64} \(Approval\)/);
  expect(first.output).toMatch(/subscribe confirmed: 0x[0-9a-f]{64} \(.*Subscribed.*\)/);
  expect(first.code).toBe(0);
  const { subscriptions } = await devnet.client.readContract({
    address: devnet.contract,
    abi: protocolAbi,
    functionName: "getAccount",
    args: [newcomer.address],
  });
  expect(subscriptions).toMatchObject([{ id, status: 0 }]);

  const second = await runExample(id);
  expect(second.output).toContain("ALREADY_SUBSCRIBED");
  expect(second.code).toBe(1);
});
