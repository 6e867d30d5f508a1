import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Address } from "viem";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { Row, Stack } from "../../ui/Stack";
import { SignButton } from "../../wallet/SignButton";
import type { OfSubscription } from "./ofSubscription";

export type LeavePanelProps = OfSubscription & {
  account: Address;
  entitlement: Pick<Operations["getEntitlement"]["output"], "paidThroughDate" | "coveredPayments" | "nextDueDate">;
  isBusy: boolean;
  onLeave(): void;
};

/** Warns a subscriber whose next payment will fail, and offers to leave: first what leaving costs and who receives it, then the signature. */
export function LeavePanel({ subscription, account, entitlement, isBusy, onLeave }: LeavePanelProps) {
  const [isAsked, setAsked] = useState(false);
  const { nextDueDate, coveredPayments } = entitlement;
  return (
    <Stack>
      {nextDueDate !== null && coveredPayments === 0 && (
        <Notice tone="warn" title="Your next payment will fail">
          <p>
            Your balance or approval doesn't cover it, together with your other plans. A payment that fails ends the
            subscription.{" "}
            <Link to="/my" search={(before) => ({ ...before, account, tab: undefined })}>
              Repair it
            </Link>
          </p>
        </Notice>
      )}
      {isAsked ? (
        <>
          <Cost subscription={subscription} account={account} paidThroughDate={entitlement.paidThroughDate} />
          <Row>
            <SignButton kind="danger" isBusy={isBusy} onSign={onLeave}>
              End my subscription
            </SignButton>
            <Button onClick={() => setAsked(false)}>Keep it</Button>
          </Row>
        </>
      ) : (
        <p>
          <Button kind="danger" onClick={() => setAsked(true)}>
            Unsubscribe
          </Button>
        </p>
      )}
    </Stack>
  );
}

type CostProps = OfSubscription & { account: Address; paidThroughDate: string | null };

function Cost({ subscription, account, paidThroughDate }: CostProps) {
  const query = useDuedayQuery("prepareUnsubscribeById", {
    id: subscription.id,
    from: account,
    readinessOnly: true,
  });
  const { money } = moneyOf({ subscription });
  return (
    <Answer query={query} label="what leaving costs">
      {(answer) => {
        const { feeBalance, feeBalanceRaw } = answer.details;
        return (
          <Notice tone="warn" title="Leaving returns nothing to you">
            <p>
              {feeBalanceRaw === "0"
                ? "No money moves."
                : `${money(feeBalance)}, which you prepaid for collecting payments, goes to the seller.`}{" "}
              {paidThroughDate !== null && `You have paid until ${formatDate(paidThroughDate.slice(0, 10))}. `}
              No payment is charged afterwards.
            </p>
          </Notice>
        );
      }}
    </Answer>
  );
}
