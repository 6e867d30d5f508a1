import { encodeFunctionData } from "viem";
import { testTokenAbi } from "../abi/testTokenAbi";
import { send } from "../send";
import { readFinal } from "./readFinal";
import { type Outcome, runCall } from "./runCall";
import type { BlockStep, CallStep, FinalState, FundStep, PlanStep, Scenario } from "./scenario";
import { type ReplayContext, type StartReplayNode, setUp } from "./setUp";

export type ReplayOptions = {
  /** The node to replay on; an anvil by default. */
  startNode?: StartReplayNode;
  /** Called once, when contract and tokens are deployed. */
  onStart?: (context: ReplayContext) => Promise<void>;
  /** Called before each step. */
  onStep?: (context: ReplayContext) => Promise<void>;
  /** Called at each `plan` step, when the head of the chain is the block that the plan was recorded on. */
  onPlan?: (context: ReplayContext, step: PlanStep) => Promise<void>;
  /** Called after the last step, when the chain is in the state that `final` records. */
  onFinal?: (context: ReplayContext) => Promise<void>;
};

/** A difference between replay and record: at a step (by index), or in the final state. */
export type Difference =
  | { step: number; recorded: Outcome; replayed: Outcome }
  | { step: "final"; recorded: FinalState; replayed: FinalState };

/**
 * Replays a recorded scenario on the devnet contract, on a private node. Stops at the first step that differs, because later
 * ones depend on it. Returns an empty list if outcomes, events and final state are equal.
 */
export async function replayScenario(scenario: Scenario, options: ReplayOptions = {}): Promise<Difference[]> {
  const { context, node } = await setUp(scenario, options.startNode);
  try {
    await options.onStart?.(context);
    for (const [index, step] of scenario.steps.entries()) {
      await options.onStep?.(context);
      if (step.op === "fund" || step.op === "block") await setToken(step, context);
      else if (step.op === "warp") await reach(context, step.at);
      else if (step.op === "plan") {
        await reach(context, step.at);
        await options.onPlan?.(context, step);
      } else {
        if (!step.ok) await reach(context, step.at);
        const recorded = recordedOutcome(step);
        const replayed = await runCall(step, context);
        if (!Bun.deepEquals(recorded, replayed)) return [{ step: index, recorded, replayed }];
      }
    }
    await options.onFinal?.(context);
    const replayed = await readFinal(context);
    return Bun.deepEquals(scenario.final, replayed) ? [] : [{ step: "final", recorded: scenario.final, replayed }];
  } finally {
    await node.stop();
  }
}

function recordedOutcome(step: CallStep): Outcome {
  return step.ok ? { ok: true, logs: step.logs } : { ok: false, revert: step.revert };
}

/** Mines an empty block with time `at`, unless the head already has that time. */
async function reach({ client }: ReplayContext, at: number): Promise<void> {
  const { timestamp } = await client.getBlock();
  if (Number(timestamp) === at) return;
  await client.setNextBlockTimestamp({ timestamp: BigInt(at) });
  await client.mine({ blocks: 1 });
}

/** Uses a block one second after the head: these steps have no recorded time, and later steps set the clock again. */
async function setToken(step: FundStep | BlockStep, { client, contract, names }: ReplayContext): Promise<void> {
  const who = names.addressOf(step.who);
  const data =
    step.op === "block"
      ? encodeFunctionData({ abi: testTokenAbi, functionName: "setBlocked", args: [who, step.blocked] })
      : encodeFunctionData({
          abi: testTokenAbi,
          functionName: "fund",
          args: [who, contract, BigInt(step.balance), BigInt(step.allowance)],
        });
  const { timestamp } = await client.getBlock();
  const at = Number(timestamp) + 1;
  await send(client, { from: names.addressOf("admin"), to: names.addressOf(step.token), data, at });
}
