import { periodOf } from "../../format/describeTerms";
import { formatAmount } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import { cleanText } from "../../ui/UntrustedText";
import type { Checkout } from "../sale/useCheckout";
import classes from "./CheckoutPage.module.css";

const NAME_CHARACTERS = 60;
const SYMBOL_CHARACTERS = 12;

/** Seller, plan and price, what is charged today and why, and the next charge. */
export function Terms({ checkout }: { checkout: Checkout }) {
  const { planName, seller, subscription, closed, initialCharge, nextChargeAmount, nextChargeDate, dueBeforeToday } =
    checkout;
  const { amount, frequency } = subscription;
  const symbol = cleanText(subscription.tokenSymbol).slice(0, SYMBOL_CHARACTERS) || "tokens";
  const money = (value: string) => `${formatAmount(value)} ${symbol}`;
  return (
    <>
      <header className={classes.header}>
        <SellerName seller={seller} />
        <h1 id="plan">
          <bdi>{cleanText(planName).slice(0, NAME_CHARACTERS)}</bdi>
        </h1>
        <p className={classes.price}>
          <bdi>{money(amount)}</bdi> <span className={classes.period}>each {periodOf(frequency)}</span>
        </p>
      </header>
      {closed === null ? (
        <dl className={classes.charges}>
          <div>
            <dt>Today</dt>
            <dd>
              <strong>{money(initialCharge.total)}</strong>
              <span>{reasonOf(checkout)}</span>
            </dd>
          </div>
          {nextChargeDate !== null && (
            <div>
              <dt>Next</dt>
              <dd>
                <strong>{money(nextChargeAmount)}</strong>
                <span>
                  {dueBeforeToday === 0
                    ? `on ${formatDate(nextChargeDate)}`
                    : `for ${formatDate(nextChargeDate)}, as soon as late payments are collected`}
                </span>
              </dd>
            </div>
          )}
        </dl>
      ) : (
        <Notice tone="warn" title={closedTexts[closed].title}>
          <p>{closedTexts[closed].text}</p>
        </Notice>
      )}
      {closed === null && <LateDays checkout={checkout} money={money} />}
    </>
  );
}

function SellerName({ seller: { name, verified } }: Pick<Checkout, "seller">) {
  if (name === null) return <p className={classes.seller}>A seller without a name</p>;
  return (
    <p className={classes.seller}>
      <bdi>{cleanText(name).slice(0, NAME_CHARACTERS)}</bdi>{" "}
      <span
        className={verified ? classes.verified : classes.unverified}
        title={verified ? "The domain names this seller" : "Anybody can write this name"}
      >
        {verified ? "verified" : "unverified"}
      </span>
    </p>
  );
}

function reasonOf({ chargeReason, nextChargeDate, dueBeforeToday }: Checkout): string {
  switch (chargeReason) {
    case "prorated":
      // While payments are late, the next charge is for a day that has passed.
      return nextChargeDate === null || dueBeforeToday > 0
        ? "for the days until the coming day of payment"
        : `for the days until ${formatDate(nextChargeDate)}`;
    case "whole_period":
      return "today is the day of payment: a whole period";
    case "keeper_fee":
      return "only the fee for collecting a payment";
  }
}

function LateDays({ checkout, money }: { checkout: Checkout; money(value: string): string }) {
  const { dueBeforeToday, nextChargeAmount } = checkout;
  if (dueBeforeToday === 0) return null;
  const days = dueBeforeToday === 1 ? "a day of payment" : `each of ${dueBeforeToday} days of payment`;
  return (
    <Notice tone="warn" title="Payments are collected late at the moment">
      <p>
        You will be charged {money(nextChargeAmount)} for {days} before today, although you subscribe today.
      </p>
    </Notice>
  );
}

const closedTexts: Record<NonNullable<Checkout["closed"]>, { title: string; text: string }> = {
  cancelled: { title: "This plan has ended", text: "The seller has cancelled it. Nothing can be subscribed to." },
  token_paused: { title: "This plan is paused", text: "Payments in its token are paused. Try again another day." },
  not_payable: {
    title: "This plan can't be paid today",
    text: "Its first charge would be nothing. Try again tomorrow.",
  },
};
