import { afterAll, expect, test } from "bun:test";
import { execute } from "@dueday/api/operation/execute";
import { openCaseChain } from "@dueday/api/test/openCaseChain";
import { TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { parseBlock } from "@dueday/chain/block/parseBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { deployMulticall } from "@dueday/chain/test/deployMulticall";
import { createRandom, type DrawnSpoiler, drawSpoiler } from "@dueday/chain/test/drawSpoiler";
import { type NodeClient, type SpoiledNode, startSpoiledNode } from "@dueday/chain/test/startSpoiledNode";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import { ServiceError } from "@dueday/core/errors";
import { planId } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { cancelledPlan, demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { readReceipt } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { numberToHex } from "viem";
import { operations } from "../operations/operations";

/**
 * A node whose answers are spoiled at random, under each operation that reads the chain: its answer is that of a sound node, or a
 * refusal, within the deadline.
 */
const CASES = testDepth === 1 ? 75 : 500 * testDepth;
const AT_ONCE = 24;
/** The deadline of the slowest operation, and what a busy machine may take beyond it. */
const PATIENCE_MS = 90_000;
/** Refusals that name the node, or that the service does not know the chain's state. */
const REFUSALS = ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT", "NOT_INDEXED"];
const OTHER_WAY = /"PAYMENTS_UNKNOWN"|"source":"modelled"/;
const NOW_SECONDS = 1_790_000_000;
const EVENTFUL_BLOCKS = 40n;

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
await deployMulticall(devnet);
const { contract } = devnet;
const refusedBy =
  (methods: readonly string[]) =>
  ({ method }: { method: string }) =>
    methods.includes(method) ? { error: { code: -32601, message: "the method does not exist" } } : null;
const nodes: Record<string, SpoiledNode> = {
  "a node with everything": startSpoiledNode(devnet.url),
  "a node without simulation": startSpoiledNode(
    devnet.url,
    (call) =>
      refusedBy(["eth_simulateV1", "eth_maxPriorityFeePerGas"])(call) ??
      (call.method === "eth_getCode" ? { result: "0x" } : null),
  ),
};
afterAll(async () => {
  for (const node of Object.values(nodes)) await node.stop();
  await devnet.stop();
});

type Scenario = { name: string; input: Record<string, unknown>; node: SpoiledNode; warm: boolean };
/** An answer without what differs from one request to the next, or the code of a refusal. */
type Outcome = { answer: unknown } | { refusal: string; message: string };

const sound = nodes["a node with everything"]?.open(null);
const soundClient = createChainClient({
  chainId: TEST_CHAIN_ID,
  rpcUrls: [sound?.url ?? ""],
  requestTimeoutMs: 30_000,
});
const failed = await someFailedTransaction();
const head = await readHead(soundClient);
/** Before the last events of the contract. */
const earlier = parseBlock(
  await soundClient.rpc("eth_getBlockByNumber", [numberToHex(head.number - EVENTFUL_BLOCKS), false]),
);

async function scenarios(): Promise<Scenario[]> {
  const id = planId(devnet);
  const plan = demoPlans.find(({ key }) => key === "reader");
  const provider = testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0)).address;
  const subscriber = (index: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + index).address;
  const member = subscriber(plan?.subscribers[0] ?? 0);
  const joiner = subscriber(0);
  const [token] = devnet.tokens;
  const day = dayNumber(head.timestamp);
  const logs = await devnet.client.getLogs({ address: contract, fromBlock: 0n, toBlock: "latest" });
  const details = { url: "https://example.com", description: "A plan" };
  const created = { token, amount: "12", frequency: 1, dueDay: 5, details };
  const inputs: [string, Record<string, unknown>][] = [
    ["get_protocol_state", {}],
    ["get_subscriptions_due", { dayNumber: day }],
    ["get_subscriptions_due", { dayNumber: day - 3 }],
    ["get_subscription", { id }],
    ["get_subscribers", { id }],
    ["get_fee_balance", { id, address: member }],
    ["get_account_subscriptions", { address: provider }],
    ["get_account", { address: member }],
    ["list_approved_tokens", {}],
    ["get_approved_token", { token }],
    ["check_subscribe_readiness_by_id", { from: joiner, id }],
    ["prepare_create_subscription", { from: provider, ...created }],
    ["prepare_subscribe_by_id", { from: joiner, id }],
    ["prepare_cancel_subscription_by_id", { from: provider, id }],
    ["prepare_unsubscribe_by_id", { from: member, id }],
    ["prepare_unsubscribe_by_provider_by_id", { from: provider, id, subscriber: member }],
    ["prepare_edit_details", { from: provider, id, details }],
    ["get_remit_readiness", {}],
    ["check_remit_readiness", { from: devnet.keeper.address }],
    ["get_remit_plan", { from: devnet.keeper.address }],
    ["get_remit_forecast", {}],
    ["prepare_remit", { from: devnet.keeper.address }],
    ["get_transaction_status", { txHash: logs.at(-1)?.transactionHash }],
    ["get_transaction_status", { txHash: failed }],
  ];
  expect(cancelledPlan).not.toBe("reader");
  const all = Object.values(nodes).flatMap((node) =>
    inputs.map(([name, input]): Scenario => ({ name, input, node, warm: false })),
  );
  // From the state of an earlier block, which the contract's logs bring up to date.
  const warm = all.filter(({ name }) => ["get_remit_plan", "get_remit_forecast"].includes(name));
  return [...all, ...warm.map((each) => ({ ...each, warm: true }))];
}

async function someFailedTransaction(): Promise<string> {
  const [from] = await devnet.client.request({ method: "eth_accounts" });
  const { client } = devnet;
  const data = encodeEditDetails({ url: "", description: "by a stranger" }, planId(devnet));
  const hash = await client.request({
    method: "eth_sendTransaction",
    params: [{ from, to: contract, data, gas: "0x186a0" } as never],
  });
  // A block that came later would make the answers differ.
  await readReceipt(client, hash);
  return hash;
}

async function run({ name, input, warm }: Scenario, client: NodeClient, rest: readonly NodeClient[]): Promise<Outcome> {
  const operation = operations.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`unknown operation ${name}`);
  const rpcUrls = [client, ...rest].map(({ url }) => url);
  const context = openCaseChain({ database, contract, rpcUrls, now: NOW_SECONDS, tokens: devnet.tokens });
  if (warm) await context.chain.remitState.read(soundClient, { block: earlier, caller: devnet.keeper.address });
  try {
    const outcome = await execute(operation, context, context, { values: input, issues: [] });
    if (!("value" in outcome)) throw new Error(`${name} was answered from a snapshot`);
    return { answer: comparable(outcome.value) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const internal = error.details.internal === undefined ? "" : JSON.stringify(error.details.internal);
    return { refusal: error.code, message: `${error.message} ${internal}` };
  }
}

function comparable(value: unknown): unknown {
  const { requestId: _, asOf, ...answer } = Object(value);
  const { computedAt: __, ...block } = Object(asOf);
  return JSON.parse(JSON.stringify({ ...answer, asOf: block }));
}

function estimates(outcome: Outcome): number {
  return JSON.stringify(outcome).split('"estimated":true').length - 1;
}

type Case = { scenario: Scenario; spoiler: DrawnSpoiler; truth: Outcome; hasSecond: boolean };

test(
  `${CASES} spoiled answers of a node: each request is answered as by a sound node, or refused, within its deadline`,
  async () => {
    const random = createRandom(testSeed);
    const all = await scenarios();
    const truths = new Map<Scenario, { truth: Outcome; asked: NodeClient["asked"] }>();
    for (const scenario of all) {
      const client = scenario.node.open(null);
      const truth = await run(scenario, client, []);
      if ("refusal" in truth) expect([scenario.name, truth]).toEqual([]);
      truths.set(scenario, { truth, asked: client.asked });
      client.close();
    }
    const waiting = Array.from({ length: CASES }, (_, index): Case => {
      const scenario = all[index % all.length] as Scenario; // the index is within the list
      const known = truths.get(scenario);
      if (known === undefined) throw new Error("every scenario was run");
      const spoiler = drawSpoiler(random, [...known.asked.values()], contract);
      return { scenario, spoiler, truth: known.truth, hasSecond: random() < 0.25 };
    });
    const faults: string[] = [];
    const counts: Record<string, number> = { equal: 0, refused: 0, "never struck": 0 };
    const byMethod: Record<string, number> = {};
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { scenario, spoiler, truth, hasSecond } = next;
        const client = scenario.node.open(spoiler);
        const second = hasSecond ? [scenario.node.open(null)] : [];
        const late = Bun.sleep(PATIENCE_MS).then((): Outcome => ({ refusal: "LATE", message: "" }));
        const outcome = await Promise.race([run(scenario, client, second), late]);
        for (const each of [client, ...second]) each.close();
        const found = client.struck ? judge(outcome, truth) : "never struck";
        // Where a node can't send what one way takes, the other way's answer names it.
        const isOtherWay = spoiler.what === "a response over the bound" && OTHER_WAY.test(JSON.stringify(outcome));
        // Where the book takes too long to read, coverage is estimated, and the answer names that.
        const isEstimate = estimates(outcome) > estimates(truth);
        const verdict = found !== "wrong" ? found : isOtherWay ? "by another way" : isEstimate ? "estimated" : found;
        counts[verdict] = (counts[verdict] ?? 0) + 1;
        const method = spoiler.call.split(" ")[0] ?? "";
        byMethod[method] = (byMethod[method] ?? 0) + 1;
        if (verdict !== "wrong") continue;
        const text = JSON.stringify(spoiler.call).slice(0, 200);
        faults.push(
          `${scenario.name}${scenario.warm ? " (warm)" : ""}: ${spoiler.what.slice(0, 200)}, ${spoiler.always ? "always" : "once"}${hasSecond ? ", second node" : ""}, of ${text}: ${difference(outcome, truth)}`,
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    console.log(`node answers: FC_SEED=${testSeed}`, counts, byMethod);
    expect(faults.slice(0, 40)).toEqual([]);
    expect(counts.refused).toBeGreaterThan(CASES / 10);
    expect(counts.equal).toBeGreaterThan(CASES / 10);
  },
  240_000 * testDepth,
);

function judge(outcome: Outcome, truth: Outcome) {
  if ("refusal" in outcome) return REFUSALS.includes(outcome.refusal) ? "refused" : "wrong";
  if (Bun.deepEquals(outcome, truth)) return "equal";
  // The reason of a mined transaction that failed is left out where the state of its block can't be read.
  const { revert: _, ...withoutReason } = Object("answer" in truth ? truth.answer : null);
  return Bun.deepEquals(outcome.answer, withoutReason) ? "without a reason" : "wrong";
}

/** The first place at which two answers differ. */
function difference(a: unknown, b: unknown, path = ""): string {
  if (Bun.deepEquals(a, b)) return "";
  const [left, right] = [Object(a), Object(b)];
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = difference(left[key], right[key], `${path}.${key}`);
      if (found !== "") return found;
    }
  }
  return `${path} is ${JSON.stringify(a)?.slice(0, 200)} instead of ${JSON.stringify(b)?.slice(0, 200)}`;
}
