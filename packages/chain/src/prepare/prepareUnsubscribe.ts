import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import type { Warning } from "@dueday/core/errors";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import type { LeavingFacts } from "@dueday/core/schemas/preflight";
import { statusLabel } from "@dueday/core/subscriptionStatus";
import { type Address, getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { presentSubscription } from "../reads/presentSubscription";
import { readSubscriberFacts, type SubscriberFacts } from "../reads/readSubscriberFacts";
import { expectNamed, targetOf } from "./namedSubscription";
import type { PlannedCall, PreparePlan } from "./preparePlan";
import { type PrepareOnSubscription, prepareTransactions } from "./prepareTransactions";
import { summaries } from "./summaries";

/** Unsigned unsubscribe() by the subscriber itself. Throws ServiceError as `prepareTransactions`, and NOT_FOUND. */
export async function prepareUnsubscribe(client: ChainClient, parameters: PrepareOnSubscription) {
  return prepareTransactions(client, { ...parameters, plan: planLeaving(client, parameters) });
}

async function planLeaving(client: ChainClient, parameters: PrepareOnSubscription): Promise<PreparePlan<LeavingFacts>> {
  const facts = await readSubscriber(client, parameters, parameters.from);
  const leaving = leavingFacts(facts);
  return {
    facts: leaving,
    summary: summaries.unsubscribe(leaving),
    refusals: unsubscribeRefusals(facts),
    warnings: unsubscribeWarnings(facts),
    ways: [[unsubscribeCall(facts, parameters.chain)]],
    afterwards: "The allowance for the contract stays as it is: set it to 0 if nothing else needs it.",
  };
}

/** unsubscribe() by the subscriber itself. */
export function unsubscribeCall(
  { record, token }: Pick<SubscriberFacts, "record" | "token">,
  { contract }: { contract: Address },
): PlannedCall {
  return { title: "unsubscribe", to: contract, data: encodeUnsubscribe(record), token };
}

type PrepareRemoval = PrepareOnSubscription & { subscriber: string };

/** Unsigned unsubscribeByProvider(): the provider removes a subscriber. Throws ServiceError as `prepareTransactions`, and NOT_FOUND. */
export async function prepareUnsubscribeByProvider(client: ChainClient, parameters: PrepareRemoval) {
  return prepareTransactions(client, { ...parameters, plan: planRemoval(client, parameters) });
}

async function planRemoval(client: ChainClient, parameters: PrepareRemoval): Promise<PreparePlan<LeavingFacts>> {
  const facts = await readSubscriber(client, parameters, parameters.subscriber);
  const data = encodeUnsubscribeByProvider(facts.record, facts.account);
  const leaving = leavingFacts(facts);
  return {
    facts: leaving,
    summary: summaries.remove(leaving),
    refusals: removalRefusals(facts, getAddress(parameters.from)),
    warnings: [],
    ways: [[{ title: "unsubscribeByProvider", to: parameters.chain.contract, data, token: facts.token }]],
  };
}

async function readSubscriber(client: ChainClient, parameters: PrepareOnSubscription, subscriber: string) {
  const target = await targetOf(parameters);
  const found = await readSubscriberFacts(client, { ...target, account: getAddress(subscriber) });
  return expectNamed(client, parameters, found);
}

/** What ending a subscription does, for the preflight. */
export function leavingFacts({ record, token, account, status, feeBalance }: SubscriberFacts): LeavingFacts {
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

/** Why an account can't leave. */
export function unsubscribeRefusals({ status }: SubscriberFacts): Refusal[] {
  if (status === "unsubscribed") return [protocolRefusal("3", "This wallet has already unsubscribed from it.")];
  if (status === "active") return [];
  // The contract would not revert, so there is no revert to show.
  const message =
    "This wallet is not subscribed to this subscription: the transaction would succeed, and move nothing.";
  return [{ issue: { ...protocolRefusal("9").issue, message } }];
}

/** Warns that the fee balance is not returned to an account that leaves. */
export function unsubscribeWarnings({ record, token, feeBalance }: SubscriberFacts): Warning[] {
  const left = feeBalanceFields(feeBalance, token.decimals);
  if (left.feeBalanceRaw === "0") return [];
  const message = `The fee balance of ${left.feeBalance} ${token.symbol} goes to the provider.`;
  const cancelled =
    " The subscription is cancelled: a subscriber who does not unsubscribe gets it back when the protocol's janitor removes the subscribers.";
  return [{ code: "FEE_BALANCE_TO_PROVIDER", message: record.cancelled ? message + cancelled : message }];
}

/** Why a provider can't remove the account, in the order of the contract's checks. */
function removalRefusals({ record, status }: SubscriberFacts, provider: Address): Refusal[] {
  const refusals: Refusal[] = [];
  if (status === "unsubscribed") refusals.push(protocolRefusal("3", "The subscriber has already unsubscribed."));
  if (record.provider !== provider) refusals.push(protocolRefusal("8"));
  if (status === "stranger") refusals.push(protocolRefusal("9", "The named subscriber is not subscribed."));
  return refusals;
}
