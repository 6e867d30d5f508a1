import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import type { Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import type { LeavingFacts } from "@dueday/core/schemas/preflight";
import { statusLabel } from "@dueday/core/subscriptionStatus";
import type { Address } from "viem";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriberFacts } from "../reads/readSubscriberFacts";
import type { PreparePlan } from "./preparePlan";
import { summaries } from "./summaries";

/** unsubscribe() by the subscriber itself. */
export function planUnsubscribe(
  facts: SubscriberFacts,
  { contract }: { contract: Address },
): PreparePlan<LeavingFacts> {
  const leaving = leavingFacts(facts);
  return {
    facts: leaving,
    summary: summaries.unsubscribe(leaving),
    token: facts.token,
    refusals: unsubscribeRefusals(facts),
    warnings: unsubscribeWarnings(facts),
    ways: [[{ title: "unsubscribe", to: contract, data: encodeUnsubscribe(facts.record) }]],
    afterwards: "The allowance for the contract stays as it is: set it to 0 if nothing else needs it.",
  };
}

/** unsubscribeByProvider(): `provider` removes the subscriber of the facts. */
export function planUnsubscribeByProvider(
  facts: SubscriberFacts,
  { contract, provider }: { contract: Address; provider: Address },
): PreparePlan<LeavingFacts> {
  const data = encodeUnsubscribeByProvider(facts.record, facts.account);
  const leaving = leavingFacts(facts);
  return {
    facts: leaving,
    summary: summaries.remove(leaving),
    token: facts.token,
    refusals: removalRefusals(facts, provider),
    warnings: [],
    ways: [[{ title: "unsubscribeByProvider", to: contract, data }]],
  };
}

function leavingFacts({ record, token, account, status, feeBalance }: SubscriberFacts): LeavingFacts {
  return {
    subscription: presentSubscription(record, token),
    subscriber: account,
    standing: status,
    ...(status !== "stranger" && statusFields(status === "active" ? 0 : 2)),
    ...feeBalanceFields(feeBalance, token.decimals),
  };
}

function statusFields(status: number) {
  return { status, statusLabel: statusLabel(status) };
}

function unsubscribeRefusals({ status }: SubscriberFacts): Refusal[] {
  if (status === "unsubscribed") return [protocolRefusal("3", "This wallet has already unsubscribed from it.")];
  if (status === "active") return [];
  // The contract would not revert, so there is no revert to show.
  const message = "This wallet is not subscribed to it: the transaction would succeed and do nothing.";
  return [{ issue: { ...protocolRefusal("9").issue, message } }];
}

function unsubscribeWarnings({ record, token, feeBalance }: SubscriberFacts): Warning[] {
  const left = feeBalanceFields(feeBalance, token.decimals);
  if (left.feeBalanceRaw === "0") return [];
  const message = `The fee balance of ${left.feeBalance} ${token.symbol} goes to the provider.`;
  const cancelled =
    " The subscription is cancelled: a subscriber who stays gets it back when the protocol's janitor clears the subscribers.";
  return [{ code: "FEE_BALANCE_TO_PROVIDER", message: record.cancelled ? message + cancelled : message }];
}

/** In the order in which the contract checks. */
function removalRefusals({ record, status }: SubscriberFacts, provider: Address): Refusal[] {
  const refusals: Refusal[] = [];
  if (status === "unsubscribed") refusals.push(protocolRefusal("3", "The subscriber has already unsubscribed."));
  if (record.provider !== provider) refusals.push(protocolRefusal("8"));
  if (status === "stranger") refusals.push(protocolRefusal("9", "The named subscriber is not subscribed."));
  return refusals;
}
