import { quotePlan } from "@dueday/sdk";
import { useDuedayQuery, useProtocolState } from "@dueday/sdk/react";
import { useConnection } from "wagmi";
import checkoutClasses from "../../checkout/page/CheckoutPage.module.css";
import { Conditions } from "../../checkout/page/Conditions";
import { Terms } from "../../checkout/page/Terms";
import { PayButton } from "../../checkout/sale/PayButton";
import { USUAL_PERIODS } from "../../checkout/sale/readRequest";
import { Answer } from "../../states/Answer";
import { Card } from "../../ui/Card";
import { descriptionOf, type PlanTerms, type Token } from "./planTerms";

/** Shown until the seller has typed a price that can be charged. */
const EXAMPLE_PRICE = "10";

export type CheckoutPreviewProps = {
  terms: PlanTerms;
  token: Token;
  /** Whether `terms` have a price that can be charged. */
  hasPrice: boolean;
};

/** A preview of the checkout of a plan that is being typed, made of the checkout's own components: what a payer who subscribes today will see. */
export function CheckoutPreview({ terms, token, hasPrice }: CheckoutPreviewProps) {
  const state = useProtocolState();
  const { address } = useConnection();
  const names = useDuedayQuery("getNames", address === undefined ? null : { provider: [address] });
  const seller = names.data?.providers[0]?.seller ?? { name: null, verified: false };
  const { frequency, dueDay } = terms;
  const amount = hasPrice ? terms.price : EXAMPLE_PRICE;
  const description = descriptionOf(terms);
  return (
    <Card
      title="What payers see"
      note={hasPrice ? "The checkout of somebody who subscribes today." : "An example, until you type a price."}
    >
      <Answer query={state} label="the preview" lines={10}>
        {(state) => {
          const quote = quotePlan({
            amount,
            token,
            frequency,
            dueDay,
            description,
            state,
            approvalPeriods: USUAL_PERIODS,
          });
          const checkout = { ...quote, seller, closed: null, payer: null };
          return (
            <section className={checkoutClasses.card} aria-labelledby="plan">
              <Terms checkout={checkout} heading="h3" />
              <PayButton disabled onClick={() => {}}>
                Choose a wallet
              </PayButton>
              <Conditions checkout={checkout} />
            </section>
          );
        }}
      </Answer>
    </Card>
  );
}
