import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { SubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import type { Address } from "viem";
import { judgeSubscribe } from "../readiness/judgeSubscribe";
import type { SubscribeFacts } from "../readiness/subscribeReadiness";
import type { PlannedCall, PreparePlan } from "./prepareTransactions";

export type PlanSubscribeParameters = {
  facts: SubscriberFacts;
  contract: Address;
  block: ChainBlock;
  infiniteApproval: boolean;
};

/** The approval where one is needed, then subscribe(); for a token that won't change an allowance, approve(0) before both. */
export function planSubscribe({
  facts,
  contract,
  block,
  infiniteApproval,
}: PlanSubscribeParameters): PreparePlan<SubscribeFacts> {
  const { record, allowance } = facts;
  const { address: token } = facts.token;
  const { approval, ...judged } = judgeSubscribe({ facts, block, infiniteApproval });
  const approve = (title: string, value: bigint): PlannedCall => {
    return { title, to: token, data: encodeApprove(contract, value), approves: { token, spender: contract, value } };
  };
  const subscribe = { title: "subscribe", to: contract, data: encodeSubscribe(record) };
  const afterwards =
    "Once it is confirmed the subscription is active; every period is then taken when somebody remits.";
  if (approval === null) return { ...judged, ways: [[subscribe]], afterwards };
  const way = [approve("approve", approval), subscribe];
  const longWay = [approve("reset the allowance to 0", 0n), ...way];
  return { ...judged, ways: allowance === 0n ? [way] : [way, longWay], afterwards };
}
