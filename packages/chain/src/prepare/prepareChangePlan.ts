import { dayToDate } from "@dueday/core/calendar/dates";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { validationError } from "@dueday/core/errors";
import type { Refusal } from "@dueday/core/refusal";
import { createChargedDays } from "@dueday/core/remit/createChargedDays";
import type { ChangePlanFacts } from "@dueday/core/schemas/changePlanPreflight";
import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import { withoutSubscriber } from "@dueday/core/walk/withoutSubscriber";
import { getAddress, type Hex } from "viem";
import { readOwnWalk } from "../accounts/readOwnWalk";
import type { ChainClient } from "../client/createChainClient";
import { readSubscriberFacts, type SubscriberFacts } from "../reads/readSubscriberFacts";
import { unknownSubscription } from "../subscriptions/readSubscription";
import { foreseeSubscribe } from "./foreseeSubscribe";
import { judgeSubscribe } from "./judgeSubscribe";
import { checkedId } from "./namedSubscription";
import { subscribeWays } from "./planSubscribe";
import type { PreparePlan } from "./preparePlan";
import { type PrepareParameters, prepareTransactions } from "./prepareTransactions";
import { leavingFacts, unsubscribeCall, unsubscribeRefusals, unsubscribeWarnings } from "./prepareUnsubscribe";
import type { ApprovalWish } from "./readApproval";
import { summaries } from "./summaries";

/** The two subscriptions of a change, by id. */
export type PlanChange = { leave: string; join: string };

type PrepareChangePlan = PrepareParameters &
  PlanChange & {
    /** From `readApproval`; periods are those of `join`. */
    approval: ApprovalWish;
  };

/**
 * Unsigned subscribe() to one subscription, after approve() where the allowance is too low, then unsubscribe() from another: in this order, so
 * that a wallet that stops halfway is in both, and never in none.
 *
 * @throws ServiceError as `prepareTransactions`, NOT_FOUND, and VALIDATION_ERROR where both are the same subscription
 */
export async function prepareChangePlan(client: ChainClient, parameters: PrepareChangePlan) {
  const [leave, join] = [checkedId(parameters.leave), checkedId(parameters.join)];
  if (leave === join) {
    throw validationError(
      "join",
      "CONTRADICTION",
      "must differ from leave: send the id of the subscription to change to",
    );
  }
  return prepareTransactions(client, { ...parameters, plan: plan(client, { ...parameters, leave, join }) });
}

async function plan(
  client: ChainClient,
  parameters: PrepareChangePlan & Record<keyof PlanChange, Hex>,
): Promise<PreparePlan<ChangePlanFacts>> {
  const { approval: wish, block, chain, coverage, leave, join } = parameters;
  const { contract, chainId } = chain;
  const account = getAddress(parameters.from);
  const read = (id: Hex) => readSubscriberFacts(client, { contract, id, account, block, prefetched: null });
  const [left, joined, walk] = await Promise.all([
    read(leave),
    read(join),
    readOwnWalk(client, { contract, account, coverage, block }),
  ]);
  // After both were read: the error must not depend on which of two unknown ids is answered first.
  if (left === null) throw unknownSubscription(chainId, leave, "leave");
  if (joined === null) throw unknownSubscription(chainId, join, "join");
  // The allowance has to cover only what the wallet pays once it has left.
  const outlook = await foreseeSubscribe(
    joined,
    { ...walk, state: withoutSubscriber(walk.state, leave, account) },
    wish,
  );
  const subscribing = { ...joined, outlook };
  const { facts, refusals, warnings, approval } = judgeSubscribe({ facts: subscribing, block });
  const leaving = leavingFacts(left);
  const next = dayToDate(outlook.nextChargeDay);
  return {
    facts: { leave: { ...leaving, nextDueDate: nextDueDate(left, walk) }, join: facts },
    summary: summaries.changePlan(leaving, summaries.subscribe(facts, { account, approval, next })),
    refusals: [...about("leave", unsubscribeRefusals(left)), ...about("join", refusals)],
    warnings: [...warnings, ...unsubscribeWarnings(left)],
    ways: subscribeWays(subscribing, contract).map((way) => [...way, unsubscribeCall(left, chain)]),
    afterwards: `Once all are confirmed, of the two only ${join} is active: each of its later periods is charged when a keeper calls remit().`,
  };
}

/** The due date of the charge that the change prevents; null where none would be made. */
function nextDueDate(
  { record, account, status, tokenPaused, nextUncheckedDay }: SubscriberFacts,
  walk: CoverageWalk,
): string | null {
  if (status !== "active" || record.cancelled || tokenPaused) return null;
  const { id, frequency, dueDay } = record;
  const isCharged = createChargedDays(walk);
  const ofAccount = (day: number) => isCharged(id, account, day);
  return dayToDate(nextChargeDay({ frequency, dueDay, nextUncheckedDay, isCharged: ofAccount }));
}

/** Refusals that name their side of the change. */
function about(path: keyof PlanChange, refusals: readonly Refusal[]): Refusal[] {
  return refusals.map((refusal) => ({ ...refusal, issue: { ...refusal.issue, path } }));
}
