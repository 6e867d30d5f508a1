import { dayToDate } from "@dueday/core/calendar/dates";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import type { SubscribeFacts } from "@dueday/core/schemas/subscribeReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import { judgeSubscribe } from "./judgeSubscribe";
import type { PlannedCall, PreparePlan } from "./preparePlan";
import type { SubscribeWalkFacts } from "./readSubscribeFacts";
import { summaries } from "./summaries";

export type PlanSubscribeParameters = {
  facts: SubscribeWalkFacts;
  contract: Address;
  block: ChainBlock;
};

/** The checkpoint is private: only the simulation shows whether it is at this subscription. */
const PAGE_CHECKPOINT = "24";

/**
 * subscribe(), after approve() where the allowance is too low. The second way sets the allowance to 0 first, for tokens that refuse
 * to change one.
 */
export function planSubscribe({ facts, contract, block }: PlanSubscribeParameters): PreparePlan<SubscribeFacts> {
  const { account, outlook } = facts;
  const { approval, ...judged } = judgeSubscribe({ facts, block });
  const ways = subscribeWays(facts, contract);
  const afterwards =
    "Once it is confirmed the subscription is active; each later period is charged when a keeper calls remit().";
  const next = dayToDate(outlook.nextChargeDay);
  const summary = summaries.subscribe(judged.facts, { account, approval, next });
  return { ...judged, summary, ways, afterwards };
}

/** The calls of `planSubscribe`. */
export function subscribeWays(
  facts: Pick<SubscribeWalkFacts, "record" | "token" | "allowance" | "outlook">,
  contract: Address,
): PlannedCall[][] {
  const { record, token, outlook } = facts;
  const subscribe: PlannedCall = {
    title: "subscribe",
    to: contract,
    data: encodeSubscribe(record),
    token,
    unchecked: [PAGE_CHECKPOINT],
  };
  if (outlook.approval === null) return [[subscribe]];
  return approveWays(facts, contract, outlook.approval).map((way) => [...way, subscribe]);
}

/** approve(value); the second way sets the allowance to 0 first. */
export function approveWays(
  { token, allowance }: Pick<SubscriberFacts, "token" | "allowance">,
  contract: Address,
  value: bigint,
): PlannedCall[][] {
  const approve = (title: string, amount: bigint): PlannedCall => ({
    title,
    to: token.address,
    data: encodeApprove(contract, amount),
    token,
    approves: { token: token.address, spender: contract, value: amount },
  });
  const way = [approve("approve", value)];
  return allowance === 0n ? [way] : [way, [approve("reset the allowance to 0", 0n), ...way]];
}
