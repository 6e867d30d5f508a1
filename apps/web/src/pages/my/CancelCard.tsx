import { useDuedayQuery, useEntitlement } from "@dueday/sdk/react";
import { useId, useState } from "react";
import type { Address } from "viem";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { countOf } from "../../format/describeDays";
import { formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { DefinitionList } from "../../ui/DefinitionList";
import { ActionStatus } from "../../wallet/ActionStatus";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { Health, PaidPlan } from "./health";
import classes from "./My.module.css";
import { PlanButtons } from "./PlanButtons";
import { PlanPanel } from "./PlanPanel";

export type CancelCardProps = { plan: PaidPlan; health: Health; onClose(): void };

/** From this number of units on, an allowance counts as unlimited: some tokens reduce an unlimited allowance with each transfer. */
const UNLIMITED = 2n ** 255n;

/**
 * Leaves a plan: shows first what leaving costs, where the fee balance goes, and how much of the approval is left. Then the wallet signs
 * once (without EIP-5792 a second time for the revocation).
 */
export function CancelCard({ plan, health, onClose }: CancelCardProps) {
  const { id, token } = plan;
  const { account } = health;
  const { run, progress, isBusy } = useWalletAction();
  const checkbox = useId();
  const others = health.plans.filter((each) => each.token === token && each.id !== id).length;
  const allowance = health.tokens.find((each) => each.token === token);
  const canRevoke = others === 0 && allowance !== undefined && allowance.allowanceRaw !== "0";
  const [isRevoked, setRevoked] = useState(true);
  const leave = () =>
    void run({
      account,
      sign: (actions, callbacks) => actions.unsubscribe({ id, revokes: canRevoke && isRevoked, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account }, options),
    });
  const { money, symbol } = moneyOf({ subscription: plan });
  const left =
    allowance === undefined
      ? ""
      : BigInt(allowance.allowanceRaw) >= UNLIMITED
        ? `any amount of ${symbol}`
        : money(allowance.allowance);
  const isDone = progress.step === "done";
  return (
    <PlanPanel title="Cancel a plan" plan={plan} onClose={onClose}>
      {!isDone && (
        <>
          <Summary plan={plan} account={account} />
          {canRevoke ? (
            <label htmlFor={checkbox} className={classes.choice}>
              <input
                id={checkbox}
                type="checkbox"
                checked={isRevoked}
                onChange={({ target }) => setRevoked(target.checked)}
              />
              <span>Also revoke the approval: the contract may still take {left}, and no other plan needs it.</span>
            </label>
          ) : (
            others > 0 && (
              <p>
                The approval of {symbol} stays: {countOf(others, "other plan")} of this account need
                {others === 1 ? "s" : ""} it.
              </p>
            )
          )}
          <PlanButtons kind="danger" account={account} isBusy={isBusy} onSign={leave} onClose={onClose}>
            End my subscription
          </PlanButtons>
        </>
      )}
      <ActionStatus progress={progress} done="You are no longer subscribed." />
    </PlanPanel>
  );
}

function Summary({ plan, account }: { plan: PaidPlan; account: Address }) {
  const { id } = plan;
  const entitlement = useEntitlement({ id, account });
  const leaving = useDuedayQuery("prepareUnsubscribeById", { id, from: account, readinessOnly: true });
  const { money } = moneyOf({ subscription: plan });
  return (
    <Answer query={leaving} label="what leaving costs">
      {(answer) => {
        const { feeBalance, feeBalanceRaw } = answer.details;
        const paidThrough = entitlement.data?.paidThroughDate?.slice(0, 10);
        return (
          <DefinitionList
            items={[
              [
                "Paid until",
                entitlement.data === undefined
                  ? "…"
                  : paidThrough === undefined
                    ? "nothing is paid ahead"
                    : formatDate(paidThrough),
              ],
              [
                "To the seller",
                feeBalanceRaw === "0"
                  ? "nothing: no money moves"
                  : `${money(feeBalance)}, which you have prepaid for collecting payments`,
              ],
              ["Back to you", "nothing"],
              ["Afterwards", "no payment is charged"],
            ]}
          />
        );
      }}
    </Answer>
  );
}
