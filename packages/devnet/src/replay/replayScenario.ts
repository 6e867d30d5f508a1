import { encodeFunctionData } from "viem";
import { testTokenAbi } from "../abi/testTokenAbi";
import { send } from "../send";
import { readFinal } from "./readFinal";
import { type Outcome, runCall } from "./runCall";
import type { BlockStep, CallStep, FinalState, FundStep, PlanStep, Scenario } from "./scenario";
import { type ReplayContext, setUp } from "./setUp";

export type ReplayOptions = {
  /** Called at each `plan` step, when the head of the chain is the block that the plan was recorded on. */
  onPlan?: (context: ReplayContext, step: PlanStep) => Promise<void>;
  /** Called after the last step, when the chain is in the state that `final` records. */
  onFinal?: (context: ReplayContext) => Promise<void>;
};

/** Where the replay and the record differ: at a step by its index, or in the final state. */
export type Difference =
  | { step: number; recorded: Outcome; replayed: Outcome }
  | { step: "final"; recorded: FinalState; replayed: FinalState };

/**
 * Replays a recorded scenario on the devnet contract, on a node of its own. Stops at the first step that differs, for the
 * ones after it would follow from it. An empty answer says: the same outcomes, the same events, the same final state.
 */
export async function replayScenario(scenario: Scenario, options: ReplayOptions = {}): Promise<Difference[]> {
  const { context, anvil } = await setUp(scenario);
  try {
    for (const [index, step] of scenario.steps.entries()) {
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
    await anvil.stop();
  }
}

function recordedOutcome(step: CallStep): Outcome {
  return step.ok ? { ok: true, logs: step.logs } : { ok: false, revert: step.revert };
}

/** Mines an empty block of time `at`, unless the head is there already. */
async function reach({ client }: ReplayContext, at: number): Promise<void> {
  const { timestamp } = await client.getBlock();
  if (Number(timestamp) === at) return;
  await client.setNextBlockTimestamp({ timestamp: BigInt(at) });
  await client.mine({ blocks: 1 });
}

/** One second after the head: the time of these steps is not recorded, and later ones say where the clock has to be. */
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
