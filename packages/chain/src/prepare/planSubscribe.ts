import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import type { SubscribeFacts } from "@dueday/core/schemas/subscribeReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import { judgeSubscribe } from "./judgeSubscribe";
import type { PlannedCall, PreparePlan } from "./preparePlan";

export type PlanSubscribeParameters = {
  facts: SubscriberFacts;
  contract: Address;
  block: ChainBlock;
  infiniteApproval: boolean;
};

/** The checkpoint is private: whether it is at this subscription shows in the simulation alone. */
const PAGE_CHECKPOINT = "24";

/**
 * subscribe(), after approve() where the allowance is too low. The second way sets the allowance to 0 first, for tokens that refuse
 * to change one.
 */
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
    "Once it is confirmed the subscription is active; each later period is charged when a keeper calls remit().";
  const rest = { ...judged, unchecked: [PAGE_CHECKPOINT], afterwards };
  if (approval === null) return { ...rest, ways: [[subscribe]] };
  const way = [approve("approve", approval), subscribe];
  const longWay = [approve("reset the allowance to 0", 0n), ...way];
  return { ...rest, ways: allowance === 0n ? [way] : [way, longWay] };
}
