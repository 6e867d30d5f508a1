import { useEntitlement } from "@dueday/sdk/react";
import type { Address } from "viem";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { countOf } from "../../format/describeDays";
import { formatDate } from "../../format/formatDate";
import { formatNextDue } from "../../format/formatNextDue";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { DefinitionList } from "../../ui/DefinitionList";
import { cleanText } from "../../ui/UntrustedText";
import type { PaidPlan } from "./health";
import { APPROVED_PAYMENTS, type usePlanChange } from "./usePlanChange";

export type ChangeSummaryProps = { plan: PaidPlan; account: Address; query: ReturnType<typeof usePlanChange> };

/** The most characters shown of a message: it contains the token's symbol, which can be long. */
const MESSAGE_CHARACTERS = 400;

/** This warning is not listed: the summary already shows where the fee balance goes. */
const ABOUT_FEE_BALANCE = "FEE_BALANCE_TO_PROVIDER";

/** What a change costs, shown before it is signed: the charge of today, what the seller gets of the old plan's fee balance, and the next charge. */
export function ChangeSummary({ plan, account, query }: ChangeSummaryProps) {
  const entitlement = useEntitlement({ id: plan.id, account });
  const left = moneyOf({ subscription: plan });
  const paidThrough = entitlement.data?.paidThroughDate?.slice(0, 10);
  return (
    <Answer query={query} label="what the change costs" lines={6}>
      {({ details, issues, asOf, ...answer }) => {
        const { initialCharge, nextChargeAmount, nextChargeDate, includesApproval, dueBeforeToday } = details.join;
        const joined = moneyOf(details.join);
        const warnings = answer.warnings
          .filter(({ code }) => code !== ABOUT_FEE_BALANCE)
          .map((warning) =>
            warning.code === "LATE_REMIT"
              ? { message: describeLate(dueBeforeToday, joined.money(nextChargeAmount)) }
              : warning,
          );
        const { feeBalance, feeBalanceRaw } = details.leave;
        return (
          <>
            <DefinitionList
              items={[
                ["Charged now", joined.money(initialCharge.total)],
                [
                  "Next charge",
                  nextChargeDate === null
                    ? null
                    : `${joined.money(nextChargeAmount)}, ${formatNextDue(nextChargeDate, asOf)}`,
                ],
                [
                  "To the seller",
                  feeBalanceRaw === "0"
                    ? "nothing more: no fee balance is left of the old plan"
                    : `${left.money(feeBalance)} more, which you have prepaid for collecting payments of the old plan`,
                ],
                ["Back to you", "nothing"],
                ["Old plan paid until", paidThrough === undefined ? "nothing is paid ahead" : formatDate(paidThrough)],
                [
                  "Approval",
                  includesApproval ? `signed with it, for ${APPROVED_PAYMENTS} payments` : "it is high enough",
                ],
              ]}
            />
            {issues.length > 0 && (
              <Notice tone="bad" title="This change is not possible now" urgent>
                <Messages messages={issues} />
              </Notice>
            )}
            {warnings.length > 0 && (
              <Notice tone="warn" title="Before you change">
                <Messages messages={warnings} />
              </Notice>
            )}
          </>
        );
      }}
    </Answer>
  );
}

/** The service's warning about late payments, in words for a payer: the original is written for keepers. */
function describeLate(payments: number, amount: string): string {
  return `The new plan is behind with ${countOf(payments, "payment")} due until today: besides what is charged now, ${
    payments === 1 ? amount : `${amount} each`
  } will still be taken.`;
}

function Messages({ messages }: { messages: readonly { message: string }[] }) {
  return messages.map(({ message }) => <p key={message}>{cleanText(message, MESSAGE_CHARACTERS)}</p>);
}
