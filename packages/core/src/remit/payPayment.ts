import type { Address } from "viem";
import { subLogCode } from "../events/subLogEvents";
import type { Charge } from "./charge";
import { sendTokens, takeTokens } from "./moveTokens";
import type { PaymentOutcome } from "./plan";
import type { RemitCall } from "./remitCall";
import { arithmeticPanic } from "./remitRevert";
import { removeFromSet } from "./removeFromSet";
import type { RemitSubscriber } from "./state";

/** Handles the payment of the entry at `position` (from 1) of the set: protocol part 5, rules 2c and 2d. */
export function payPayment(call: RemitCall, charge: Charge, position: number, entry: RemitSubscriber): void {
  const { subscriber } = entry;
  call.payments++;
  const earnedBefore = charge.earned;
  meterPayer(call, charge, entry);
  const lack = charge.ledger.lackOf(subscriber, charge.terms.units);
  let outcome: PaymentOutcome;
  if (lack === null || call.cured === subscriber) {
    if (lack !== null) charge.ledger.give(subscriber, lack);
    logCoordinates(call, charge, position);
    outcome = pay(call, charge, position, entry);
  } else {
    fail(call, charge, position, entry);
    logCoordinates(call, charge, position);
    // The contract checks the allowance first.
    outcome = lack.allowance > 0n ? "fails_allowance" : "fails_balance";
  }
  call.outcomes.push({
    transaction: call.transaction,
    id: charge.subscription.id,
    subscriber,
    dayNumber: call.day,
    outcome,
    callerFee: charge.earned === earnedBefore ? 0n : charge.terms.callerUnits,
    lack,
  });
}

function meterPayer({ meter }: RemitCall, { ledger, subscription }: Charge, entry: RemitSubscriber): void {
  if (meter === null) return;
  const { subscriber, feeBalance } = entry;
  const { balance, allowance } = ledger.holdingOf(subscriber);
  meter.payer(ledger.address, subscription.id, subscriber, { balance, allowance, feeBalance });
}

function pay(call: RemitCall, charge: Charge, position: number, entry: RemitSubscriber): "paid" | "fee_fill" {
  const { subscription, terms, set } = charge;
  const { subFee, feeFill } = terms;
  const { provider, amount, id, token } = subscription;
  const { subscriber, feeBalance } = entry;
  charge.earned++;
  if (feeBalance > subFee) {
    set.subscribers[position - 1] = { subscriber, feeBalance: feeBalance - subFee };
    call.meter?.count("paid");
    call.meter?.changeFeeBalance(id, subscriber, { before: feeBalance, after: feeBalance - subFee });
    log(call, charge, subscriber, amount, subLogCode.SubscriberPaid);
    log(call, charge, subscriber, amount, subLogCode.ProviderPaid);
    takeTokens(call, charge, subscriber, provider, charge.terms.units);
    return "paid";
  }
  if (feeFill < subFee) throw arithmeticPanic({ id, token });
  set.subscribers[position - 1] = { subscriber, feeBalance: feeBalance + feeFill - subFee };
  call.meter?.count(subscription.frequency === 0 ? "weeklyFill" : "fill");
  call.meter?.changeFeeBalance(id, subscriber, { before: feeBalance, after: feeBalance + feeFill - subFee });
  log(call, charge, subscriber, amount, subLogCode.FeeFill);
  takeTokens(call, charge, subscriber, call.state.origin.protocol, charge.terms.feeFillUnits);
  if (subscription.frequency !== 0) {
    log(call, charge, subscriber, charge.terms.rest, subLogCode.ProviderPaid);
    takeTokens(call, charge, subscriber, provider, charge.terms.restUnits);
  }
  return "fee_fill";
}

function fail(call: RemitCall, charge: Charge, position: number, entry: RemitSubscriber): void {
  const { subscription, terms, set } = charge;
  const { subFee } = terms;
  const { subscriber, feeBalance } = entry;
  call.failures++;
  call.meter?.count(feeBalance > subFee ? "refundedFailure" : "failure");
  if (feeBalance > subFee) {
    charge.earned++;
    call.meter?.changeFeeBalance(subscription.id, subscriber, { before: feeBalance, after: 0n });
    log(call, charge, subscriber, feeBalance - subFee, subLogCode.ProviderRefund);
    sendTokens(call, charge, subscription.provider, feeBalance - subFee);
  }
  const accounts = call.meter === null ? [] : set.subscribers.map((each) => each.subscriber);
  call.meter?.removeSubscriber(subscription.id, position, accounts);
  removeFromSet(set.subscribers, position - 1);
  log(call, charge, subscriber, subscription.amount, subLogCode.Unsubscribed);
  log(call, charge, subscriber, 0n, subLogCode.Failed);
}

function log(call: RemitCall, charge: Charge, subscriber: Address, amount: bigint, code: number): void {
  const { id, provider, token } = charge.subscription;
  call.events?.push({ event: "SubLog", id, provider, subscriber, amount, token, code });
}

function logCoordinates(call: RemitCall, charge: Charge, position: number): void {
  const { id, frequency } = charge.subscription;
  call.events?.push({
    event: "Coordinates",
    id,
    subscriberIndex: BigInt(position),
    subscriptionIndex: BigInt(charge.listPosition),
    frequency: BigInt(frequency),
    nextUncheckedDay: call.day,
  });
}
