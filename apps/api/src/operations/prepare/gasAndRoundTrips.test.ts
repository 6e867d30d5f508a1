import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { prepareFully } from "@dueday/api/test/walkPrepare";
import { createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { type NodeProxy, startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { type Address, parseEther, parseUnits } from "viem";

const GAS_PRICE_ORACLE: Address = "0x420000000000000000000000000000000000000F";
/** Returns 1,000,000 for every call. */
const ORACLE_CODE = "0x620f424060005260206000f3";
const L1_FEE = 1_000_000n;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: 1_790_000_000 });
const provider = protocol.person(0).address;
const payer = protocol.person(1).address;
const token = await protocol.token("HUSD", 6);
let node: NodeProxy;
let api: TestApi;

beforeAll(async () => {
  await protocol.client.setCode({ address: GAS_PRICE_ORACLE, bytecode: ORACLE_CODE });
  node = startNodeProxy(protocol.url);
  api = await startTestApi({ database, rpcUrl: node.url, contract: protocol.contract });
});
afterAll(async () => {
  await api.stop();
  await node.stop();
  await protocol.stop();
});

async function plan(allowance: bigint) {
  await fund(protocol, token, payer, parseUnits("1000", 6), allowance);
  const details = { url: "", description: "" };
  return createSubscription(protocol, provider, {
    amount: parseEther("12"),
    token,
    details,
    frequency: 1,
    dueDay: 5,
  });
}

test("each transaction has a gas limit above its use, EIP-1559 fees and its L1 fee, and the summary is the sum", async () => {
  const { gasEstimates, gasSummary, simulation } = await prepareFully(api, "subscribe_by_id", {
    from: payer,
    id: await plan(0n),
  });
  expect(gasEstimates.length).toBe(2);
  for (const [index, estimate] of gasEstimates.entries()) {
    const used = BigInt(simulation.results[index]?.gasUsed ?? 0);
    expect(BigInt(estimate.gasLimit)).toBeGreaterThanOrEqual((used * 5n) / 4n);
    expect(BigInt(estimate.maxFeePerGas)).toBeGreaterThan(BigInt(estimate.maxPriorityFeePerGas));
    expect([estimate.l1FeeWei, estimate.source]).toEqual([L1_FEE.toString(), "simulated"]);
    expect(BigInt(estimate.estimatedCostWei)).toBeGreaterThan(L1_FEE);
  }
  const sum = (pick: (each: (typeof gasEstimates)[number]) => string) =>
    gasEstimates.reduce((total, each) => total + BigInt(pick(each)), 0n).toString();
  expect(gasSummary).toMatchObject({
    totalGasLimit: sum(({ gasLimit }) => gasLimit),
    totalEstimatedCostWei: sum(({ estimatedCostWei }) => estimatedCostWei),
    transactionCount: 2,
  });
});

describe("round trips to the node, once the chain's facts are known", () => {
  test.each([
    { path: "subscribe_by_id", most: 3, body: async () => ({ from: payer, id: await plan(0n) }) },
    { path: "subscribe", most: 3, body: async () => ({ from: payer, subscription: { id: await plan(0n) } }) },
    { path: "cancel_subscription_by_id", most: 3, body: async () => ({ from: provider, id: await plan(0n) }) },
    {
      path: "unsubscribe_by_id",
      most: 3,
      body: async () => {
        const id = await plan(parseUnits("1000", 6));
        await subscribe(protocol, payer, id);
        return { from: payer, id };
      },
    },
  ])("$path: at most $most", async ({ path, most, body }) => {
    const request = await body();
    await prepareFully(api, path, request);
    node.exchanges.length = 0;
    await prepareFully(api, path, request);
    const looks = ["eth_getBlockByNumber", "eth_chainId"];
    const isMonitor = (methods: string[]) => methods.every((method) => looks.includes(method));
    const exchanges = node.exchanges.filter((methods) => !isMonitor(methods));
    expect(exchanges.length).toBeGreaterThan(0);
    expect(exchanges.length).toBeLessThanOrEqual(most);
  });
});
