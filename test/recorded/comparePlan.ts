import { expect } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { PlanStep } from "@dueday/devnet/replay/scenario";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { Value } from "@sinclair/typebox/value";
import type { Address } from "viem";

/** The answer in the form of the record, without gas, which differs between the two contracts. */
export function inRecordedTerms(answer: RemitReadiness, { names }: ReplayContext) {
  const { plan, blockedBy, totalSubscriptions, nextUncheckedDay, currentDay } = answer;
  return {
    today: currentDay,
    nextUncheckedDay,
    dueSubscriptions: totalSubscriptions,
    end: plan.end,
    stop: plan.end === "caught_up" ? "6" : blockedBy?.revert.code,
    transactions: plan.transactions.map(({ closesDays, payments, failures, callerFees }) => ({
      closesDays,
      payments,
      failures,
      callerFees: Object.fromEntries(
        // The schema knows addresses as text; this one came from the chain.
        callerFees.map(({ token, amountRaw }) => [names.nameOf(token as Address), amountRaw]),
      ),
    })),
  };
}

/** The record of a plan, in the same form. */
export function asRecorded(step: PlanStep) {
  return {
    today: step.today,
    nextUncheckedDay: step.nextUncheckedDay,
    dueSubscriptions: step.dueSubscriptions,
    end: step.stop === "6" ? ("caught_up" as const) : ("blocked" as const),
    stop: step.stop,
    transactions: step.transactions.map(({ days, payments, failures, callerFees }) => ({
      closesDays: days.filter(({ finished }) => finished).map(({ day }) => day),
      payments,
      failures,
      callerFees,
    })),
  };
}

type RemitStateCache = ReturnType<typeof createRemitStateCache>;

/**
 * Compares the plans of one scenario with its record: the served plan equals what the deployed protocol did, and the model,
 * computed from the chain's reads, agrees with it.
 */
export function createPlanComparison(): (context: ReplayContext, step: PlanStep) => Promise<void> {
  // One for the whole history: after its first plan it is updated from logs.
  let stateCache: RemitStateCache | undefined;
  return async (context, step) => {
    const { url, contract, keeper } = context;
    const client = createChainClient({ chainId: 31337, rpcUrls: [url], requestTimeoutMs: 10_000 });
    const block = await readHead(client);
    // The plan depends on the block's time.
    expect(Number(block.timestamp)).toBe(step.at);
    stateCache ??= createRemitStateCache(contract);
    const alarms: unknown[] = [];
    const answer = await readRemitReadiness(client, {
      contract,
      from: keeper,
      block,
      stateCache,
      model: "always",
      onAlarm: (alarm) => alarms.push(alarm),
    });
    expect(alarms).toEqual([]);
    expect(inRecordedTerms(answer, context)).toEqual(asRecorded(step));
    expect([...Value.Errors(RemitReadiness, answer)]).toEqual([]);
  };
}
