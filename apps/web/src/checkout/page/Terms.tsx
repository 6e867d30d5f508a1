import type { PlanQuote } from "@dueday/sdk";
import { countOf } from "../../format/describeDays";
import { periodOf } from "../../format/describeTerms";
import { formatDate } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import { cleanText } from "../../ui/UntrustedText";
import { moneyOf } from "../sale/moneyOf";
import type { Checkout } from "../sale/useCheckout";
import classes from "./CheckoutPage.module.css";

const NAME_CHARACTERS = 60;

/** What of a checkout's answer is shown here. A preview of a plan that is not created yet has as much. */
export type ShownTerms = PlanQuote &
  Pick<Checkout, "seller" | "closed"> & { payer: Pick<NonNullable<Checkout["payer"]>, "standing"> | null };

export type TermsProps = {
  checkout: ShownTerms;
  /** The heading that the plan's name is. Default: h1. */
  heading?: "h1" | "h3";
};

/** Seller, plan and price, what is charged today and why, the next charge, and how long approval and balance last. */
export function Terms({ checkout, heading: Heading = "h1" }: TermsProps) {
  const { planName, seller, subscription, closed } = checkout;
  const { money } = moneyOf(checkout);
  return (
    <>
      <header className={classes.header}>
        <SellerName seller={seller} />
        <Heading id="plan">
          <bdi>{cleanText(planName).slice(0, NAME_CHARACTERS)}</bdi>
        </Heading>
        <p className={classes.price}>
          <bdi>{money(subscription.amount)}</bdi>{" "}
          <span className={classes.period}>each {periodOf(subscription.frequency)}</span>
        </p>
      </header>
      {closed === null ? (
        <>
          <Charges checkout={checkout} />
          <LateDays checkout={checkout} />
        </>
      ) : (
        <Notice tone="warn" title={closedTexts[closed].title}>
          <p>{closedTexts[closed].text}</p>
        </Notice>
      )}
    </>
  );
}

function Charges({ checkout }: { checkout: ShownTerms }) {
  const { initialCharge, nextChargeAmount, nextChargeDate, dueBeforeToday, payer } = checkout;
  const { money } = moneyOf(checkout);
  const isMember = payer?.standing === "active";
  return (
    <dl className={classes.charges}>
      {!isMember && (
        <div>
          <dt>Today</dt>
          <dd>
            <strong>{money(initialCharge.total)}</strong>
            <span>{reasonOf(checkout)}</span>
          </dd>
        </div>
      )}
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
      <div>
        <dt>{isMember ? "Covered" : "Approval"}</dt>
        <dd>
          <strong>{coverTitle(checkout)}</strong>
          <span>{coverText(checkout)}</span>
        </dd>
      </div>
    </dl>
  );
}

function coverTitle({ subscription, approval, cover, payer }: ShownTerms): string {
  if (payer?.standing === "active") return cover.charges === 0 ? "No charge" : countOf(cover.charges, "charge");
  return approval === null ? "No new one needed" : `${moneyOf({ subscription }).money(approval.amount)} in all`;
}

/** How many charges are paid, until when, and whether it is the approval or the balance that ends first. */
function coverText({ cover, payer }: ShownTerms): string {
  const { charges, lastDate, endedBy } = cover;
  if (payer?.standing === "active")
    return lastDate === null ? `by your ${endedBy}` : `until ${formatDate(lastDate)}, by your ${endedBy}`;
  if (lastDate === null) return `your ${endedBy} covers no charge after today`;
  const covered = `${countOf(charges, "charge")} after today, until ${formatDate(lastDate)}`;
  return endedBy === "balance" ? `your balance ends first: ${covered}` : `for ${covered}`;
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

function reasonOf({ chargeReason, nextChargeDate, dueBeforeToday, subscription }: ShownTerms): string {
  switch (chargeReason) {
    case "prorated":
      // While payments are late, the next charge is for a day that has passed.
      return nextChargeDate === null || dueBeforeToday > 0
        ? "for the days until the next payment date"
        : `for the days until ${formatDate(nextChargeDate)}`;
    case "whole_period":
      return `for a whole ${periodOf(subscription.frequency)}, which begins today`;
    case "keeper_fee":
      return "only the fee for collecting a payment";
  }
}

function LateDays({ checkout }: { checkout: ShownTerms }) {
  const { dueBeforeToday, nextChargeAmount, payer } = checkout;
  if (dueBeforeToday === 0 || payer?.standing === "active") return null;
  const { money } = moneyOf(checkout);
  const dates = dueBeforeToday === 1 ? "one payment date" : `each of ${dueBeforeToday} payment dates`;
  return (
    <Notice tone="warn" title="Payments are collected late at the moment">
      <p>
        Besides today's charge you will pay {money(nextChargeAmount)} for {dates} up to today, although you subscribe
        only now.
      </p>
    </Notice>
  );
}

const closedTexts: Record<NonNullable<Checkout["closed"]>, { title: string; text: string }> = {
  cancelled: {
    title: "This plan has ended",
    text: "The seller has cancelled it: it takes no new subscribers.",
  },
  token_paused: {
    title: "This plan is paused",
    text: "Payments in its token are paused at the moment. Nothing can be paid; try again another day.",
  },
  not_payable: {
    title: "This plan can't be paid",
    text: "Its price can't be charged in its token. Ask the seller for another plan.",
  },
};
