import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { Subscription } from "@dueday/core/schema";
import type { CreateFacts, LeavingFacts } from "@dueday/core/schemas/preflight";
import type { SubscribeFacts } from "@dueday/core/schemas/subscribeReadiness";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Address, maxUint256 } from "viem";

type Approved = { token: string; tokenSymbol: string; tokenDecimals: number };

/**
 * What signing does, in one sentence that a person can compare with what they asked for: amounts with their token, the frequency by
 * name, dates. A wrong frequency, for which a language model sent a wrong number, can be seen here.
 */
export const summaries = {
  create({ amount, tokenSymbol, token, frequencyLabel, nextDueDate }: CreateFacts): string {
    const due = nextDueDate === null ? "" : `, first due ${nextDueDate}`;
    return `Creates a ${frequencyLabel} subscription of ${amount} ${symbolOf(tokenSymbol, token)}${due}.`;
  },

  /** @param approval token units that are approved first; null where nothing is */
  subscribe(
    { subscription, initialCharge }: Pick<SubscribeFacts, "subscription" | "initialCharge">,
    { account, approval, next }: { account: Address; approval: bigint | null; next: string | null },
  ): string {
    const { amount, tokenSymbol, token, tokenDecimals } = subscription;
    const symbol = symbolOf(tokenSymbol, token);
    const approves =
      approval === null ? "" : `, after approving ${approvedAmount({ token, tokenSymbol, tokenDecimals }, approval)}`;
    const then = next === null ? "" : `, then ${amount} ${symbol} from ${next} on`;
    return `Subscribes ${account} to ${planOf(subscription)}: ${initialCharge.total} ${symbol} at once${then}${approves}.`;
  },

  /** @param value token units */
  approve(token: Approved, { account, value }: { account: Address; value: bigint }): string {
    const most = value === maxUint256 ? "" : "up to ";
    return `Lets the protocol take ${most}${approvedAmount(token, value)} from ${account}, in place of the present allowance.`;
  },

  /** @param value token units @param deadline unix seconds */
  permit(token: Approved, { account, value, deadline }: { account: Address; value: bigint; deadline: bigint }): string {
    const until = new Date(Number(deadline) * 1000).toISOString().slice(0, 10);
    return `Signs, without a transaction, that the protocol may take up to ${approvedAmount(token, value)} from ${account}, in place of the present allowance. Anybody can submit it until ${until}.`;
  },

  /** @param value token units */
  submitPermit(token: Approved, { account, value }: { account: Address; value: bigint }): string {
    return `Submits the permit of ${account}: the protocol may then take up to ${approvedAmount(token, value)} from it, in place of the present allowance.`;
  },

  revokePermit: (token: Approved, { account }: { account: Address }): string =>
    `Uses up the permit of ${account} and sets its allowance in ${symbolOf(token.tokenSymbol, token.token)} to 0: no payment in it passes then.`,

  cancel: (subscription: Subscription): string =>
    `Cancels ${planOf(subscription)} for all its subscribers. It can't be resumed.`,

  unsubscribe({ subscription, subscriber, feeBalance }: LeavingFacts): string {
    return `Ends the payments of ${subscriber} for ${planOf(subscription)}; its fee balance of ${inTokens(subscription, feeBalance)} goes to the provider.`;
  },

  /** @param subscribes the sentence of `subscribe` about the subscription that begins */
  changePlan({ subscription, feeBalance }: LeavingFacts, subscribes: string): string {
    const refund = inTokens(subscription, feeBalance);
    return `${subscribes} Then ends its payments for ${planOf(subscription)}, whose fee balance of ${refund} goes to its provider.`;
  },

  remove({ subscription, subscriber, feeBalance }: LeavingFacts): string {
    return `Removes ${subscriber} from ${planOf(subscription)}; the fee balance of ${inTokens(subscription, feeBalance)} is returned to it.`;
  },

  editDetails: (subscription: Subscription): string => `Replaces the url and description of ${planOf(subscription)}.`,

  editProfile: (provider: Address): string => `Replaces all six texts of the provider profile of ${provider}.`,

  remit({ plan, currentDay, nextUncheckedDay }: RemitReadiness): string {
    const [next] = plan.transactions;
    if (next === undefined) return "Settles nothing: no payment is due.";
    const failing = next.failures === 0 ? "" : `, with ${next.failures} failure(s) among them, which end subscriptions`;
    const fees = next.callerFees.map(({ amount, symbol, token }) => `${amount} ${symbolOf(symbol, token)}`);
    const earns = fees.length === 0 ? "" : `; the caller earns ${fees.join(" and ")}`;
    const days = currentDay - nextUncheckedDay + 1;
    const open = days > 0 ? `; open days: ${days}` : "";
    return `Settles ${next.payments} payment(s)${failing}${open}${earns}.`;
  },
};

/** A subscription as a person knows it, with enough of its id to find it. */
function planOf(subscription: Subscription): string {
  const { id, frequencyLabel, amount } = subscription;
  return `the ${frequencyLabel} subscription of ${inTokens(subscription, amount)} (${id.slice(0, 10)}…${id.slice(-4)})`;
}

function inTokens({ tokenSymbol, token }: Pick<Approved, "token" | "tokenSymbol">, amount: string): string {
  return `${amount} ${symbolOf(tokenSymbol, token)}`;
}

function approvedAmount(token: Approved, value: bigint): string {
  if (value === maxUint256) return `unlimited ${symbolOf(token.tokenSymbol, token.token)}`;
  return inTokens(token, formatUnits(value, token.tokenDecimals));
}

/** Anybody may have chosen a symbol: one that could be read as a sentence is replaced by the token's address. */
function symbolOf(symbol: string, token: string): string {
  return /^[A-Za-z0-9.$+-]{1,16}$/.test(symbol) ? symbol : token;
}
