import { afterAll, beforeAll, expect, test } from "bun:test";
import { arbitraryHistory, beginning, chargedHistory, playHistory, type Step } from "@dueday/chain/test/randomHistory";
import { arbitrarySharedHistory } from "@dueday/chain/test/sharedHistory";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { adminAbi } from "@dueday/devnet/abi/adminAbi";
import { describeLogs } from "@dueday/devnet/replay/describeLogs";
import { readFinal } from "@dueday/devnet/replay/readFinal";
import type { CallStep, ProtocolCall } from "@dueday/devnet/replay/scenario";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { decodeFunctionData, getAddress } from "viem";
import { compareMetrics } from "./compareMetrics";
import { compareMoney } from "./compareMoney";
import { comparePayments } from "./comparePayments";
import { createReplayIndex } from "./createReplayIndex";
import { readFacts } from "./readFacts";

const abi = [...protocolAbi, ...adminAbi] as const;
type Decoded = ReturnType<typeof decodeFunctionData<typeof abi>>;

const HISTORIES = Number(process.env.MONEY_HISTORIES ?? 4 * testDepth);
const TIMEOUT_MS = 120_000 + HISTORIES * 8_000;

const index = await createReplayIndex();
let context: ReplayContext;
let node: ReplayNode;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
});
afterAll(() => node.stop());

/** A book, and then weeks and months in which it is settled now and then. */
const arbitraryMonths: fc.Arbitrary<Step[]> = fc
  .tuple(
    arbitrarySharedHistory,
    fc.array(fc.record({ days: fc.integer({ min: 1, max: 45 }), remits: fc.nat({ max: 12 }) }), { maxLength: 4 }),
  )
  .map(([history, later]) => [
    ...history,
    ...later.flatMap(({ days, remits }): Step[] => [
      { op: "warp", days },
      ...Array.from({ length: remits }, (): Step => ({ op: "remit" })),
    ]),
  ]);

/** The calls of the contract that are mined above a block, with their logs, in the form of a recorded scenario. */
async function record(above: bigint): Promise<ReplayContext> {
  const { client, contract, names } = context;
  const steps: CallStep[] = [];
  const head = await client.getBlockNumber();
  for (let number = above + 1n; number <= head; number++) {
    const { transactions, timestamp } = await client.getBlock({ blockNumber: number, includeTransactions: true });
    for (const { hash, to, from, input } of transactions) {
      if (to === null || getAddress(to) !== contract) continue;
      const receipt = await client.request({ method: "eth_getTransactionReceipt", params: [hash] });
      if (receipt === null || receipt.logs.length === 0) continue;
      const call = decodeFunctionData({ abi, data: input });
      const id = receipt.logs[0]?.topics[1];
      const plan = `plan ${steps.filter(({ op }) => op === "createSubscription").length}`;
      if (call.functionName === "createSubscription" && id !== undefined) names.add(plan, id);
      const logs = describeLogs(receipt.logs, context);
      const by = names.nameOf(from);
      steps.push({
        ...callOf(call, plan),
        by,
        at: Number(timestamp),
        ok: true,
        logs,
        gasUsed: Number(receipt.gasUsed),
      });
    }
  }
  const recorded = { ...context, scenario: { ...beginning, steps } };
  return { ...recorded, scenario: { ...recorded.scenario, final: await readFinal(recorded) } };
}

/** A call as a scenario has it. `plan` names the subscription that it creates. */
function callOf(call: Decoded, plan: string): ProtocolCall {
  const { names } = context;
  switch (call.functionName) {
    case "createSubscription": {
      const [amount, token, details, frequency, dueDay] = call.args;
      const terms = { token: names.nameOf(token), amount: String(amount), frequency, dueDay };
      return { op: call.functionName, ...terms, ...details, as: plan };
    }
    case "subscribe":
    case "unsubscribe":
    case "cancelSubscription":
    case "cleanupCancelledSubscribers":
      return { op: call.functionName, sub: names.nameOf(call.args[0].id) };
    case "unsubscribeByProvider": {
      const [{ id }, subscriber] = call.args;
      return { op: call.functionName, sub: names.nameOf(id), subscriber: names.nameOf(subscriber) };
    }
    case "cleanUnsubscribeList":
      return { op: call.functionName, sub: names.nameOf(call.args[0]) };
    case "remit":
      return { op: call.functionName };
    default:
      throw new Error(`${call.functionName} emits events, which no history has`);
  }
}

const met = new Map<string, number>();
const meet = (what: string, times: number) => void met.set(what, (met.get(what) ?? 0) + times);

async function checkHistory(above: bigint): Promise<void> {
  const recorded = await record(above);
  await index.fill(recorded);
  // Everything is read from the index.
  await index.serve(recorded, { rpcUrl: "http://127.0.0.1:1" }, async (api) => {
    await compareMoney(api, recorded);
    await comparePayments(api, recorded);
    await compareMetrics(api, recorded);
  });
  const { before, reorganised, rebuilt } = await index.derive(recorded);
  expect(reorganised).toEqual(before);
  expect(rebuilt).toEqual(before);
  for (const { kind, isCharge, isFailure } of readFacts(recorded).facts) {
    if (kind !== undefined) meet(kind, 1);
    if (isCharge) meet("charges", 1);
    if (isFailure) meet("failures", 1);
  }
}

test(
  "in random histories (FC_SEED repeats them) metrics, cohorts, payments, income and statement are what the logs and the Transfers of the chain add up to, also after a reorganisation and a rebuild",
  async () => {
    const property = fc.asyncProperty(fc.oneof(arbitraryHistory, arbitraryMonths), async (history) => {
      const snapshot = await context.client.snapshot();
      try {
        const above = await context.client.getBlockNumber();
        await playHistory(context, history, async () => {});
        await checkHistory(above);
      } finally {
        await context.client.revert({ id: snapshot });
      }
    });
    await fc.assert(property, {
      examples: [[chargedHistory]],
      numRuns: HISTORIES,
      seed: testSeed,
      endOnFailure: true,
    });
    console.log(`${HISTORIES} histories of seed ${testSeed}: ${[...met].map((each) => each.join(" ")).join(", ")}`);
    expect([...met.keys()]).toEqual(expect.arrayContaining(["new", "charges"]));
  },
  TIMEOUT_MS,
);
