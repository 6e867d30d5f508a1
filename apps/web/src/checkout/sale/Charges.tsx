import type { PlanQuote } from "@dueday/sdk";
import { countOf } from "../../format/describeDays";
import { periodOf } from "../../format/describeTerms";
import { formatDate } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import classes from "./Charges.module.css";
import { moneyOf } from "./moneyOf";
import type { Checkout } from "./useCheckout";

/** The fields of a checkout's answer that are shown here. The preview of a plan that is not created yet has them too. */
export type ShownCharges = Omit<PlanQuote, "planName"> & {
  payer: Pick<NonNullable<Checkout["payer"]>, "standing"> | null;
};

export type ChargesProps = {
  checkout: ShownCharges;
  /** The payer has chosen an approval without limit, in place of the one in `checkout`. Default: false. */
  isUnlimited?: boolean;
};

/** What is charged today and why, the next charge, how long approval and balance last, and what a late remit() will still take. */
export function Charges({ checkout, isUnlimited = false }: ChargesProps) {
  const { initialCharge, nextChargeAmount, nextChargeDate, dueBeforeToday, payer } = checkout;
  const { money } = moneyOf(checkout);
  const isMember = payer?.standing === "active";
  return (
    <>
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
            <strong>{coverTitle(checkout, isUnlimited)}</strong>
            <span>{coverText(checkout, isUnlimited)}</span>
          </dd>
        </div>
      </dl>
      <LateDays checkout={checkout} />
    </>
  );
}

function coverTitle({ subscription, approval, cover, payer }: ShownCharges, isUnlimited: boolean): string {
  if (payer?.standing === "active") return cover.charges === 0 ? "No charge" : countOf(cover.charges, "charge");
  if (isUnlimited) return "Without limit";
  return approval === null ? "No new one needed" : `${moneyOf({ subscription }).money(approval.amount)} in all`;
}

/** How many charges are covered, until when, and whether the approval or the balance ends first. */
function coverText({ cover, payer }: ShownCharges, isUnlimited: boolean): string {
  const { charges, lastDate, endedBy } = cover;
  if (payer?.standing === "active")
    return lastDate === null
      ? `your ${endedBy} is too low`
      : `until ${formatDate(lastDate)}: then your ${endedBy} is used up`;
  if (lastDate === null) return `your ${endedBy} covers no charge after today`;
  const covered = `${countOf(charges, "charge")} after today, until ${formatDate(lastDate)}`;
  if (isUnlimited && endedBy === "approval") return "until you revoke it";
  return endedBy === "balance" ? `your balance ends first: ${covered}` : `for ${covered}`;
}

function reasonOf({ chargeReason, nextChargeDate, dueBeforeToday, subscription }: ShownCharges): string {
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

function LateDays({ checkout }: { checkout: ShownCharges }) {
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
