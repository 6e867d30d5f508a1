import { periodOf } from "../../format/describeTerms";
import { Notice } from "../../states/Notice";
import { cleanText } from "../../ui/UntrustedText";
import { Charges, type ShownCharges } from "../sale/Charges";
import { moneyOf } from "../sale/moneyOf";
import type { Checkout } from "../sale/useCheckout";
import classes from "./CheckoutPage.module.css";

const NAME_CHARACTERS = 60;

/** The fields of a checkout's answer that are shown here. The preview of a plan that is not created yet has them too. */
export type ShownTerms = ShownCharges & Pick<Checkout, "planName" | "seller" | "closed">;

export type TermsProps = {
  checkout: ShownTerms;
  /** Heading element of the plan's name. Default: h1. */
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
          <bdi>{cleanText(planName, NAME_CHARACTERS)}</bdi>
        </Heading>
        <p className={classes.price}>
          <bdi>{money(subscription.amount)}</bdi>{" "}
          <span className={classes.period}>each {periodOf(subscription.frequency)}</span>
        </p>
      </header>
      {closed === null ? (
        <Charges checkout={checkout} />
      ) : (
        <Notice tone="warn" title={closedTexts[closed].title}>
          <p>{closedTexts[closed].text}</p>
        </Notice>
      )}
    </>
  );
}

function SellerName({ seller: { name, verified } }: Pick<Checkout, "seller">) {
  if (name === null) return <p className={classes.seller}>A seller without a name</p>;
  return (
    <p className={classes.seller}>
      <bdi>{cleanText(name, NAME_CHARACTERS)}</bdi>{" "}
      <span
        className={verified ? classes.verified : classes.unverified}
        title={verified ? "The domain names this seller" : "Anybody can write this name"}
      >
        {verified ? "verified" : "unverified"}
      </span>
    </p>
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
