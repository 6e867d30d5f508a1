import { useState } from "react";
import type { Hex } from "viem";
import { Answer } from "../../states/Answer";
import { FormField, FormFields } from "../../ui/FormField";
import { ActionStatus } from "../../wallet/ActionStatus";
import { useWalletAction } from "../../wallet/useWalletAction";
import { ChangeSummary } from "./ChangeSummary";
import type { Health, PaidPlan } from "./health";
import { PlanButtons } from "./PlanButtons";
import { PlanPanel } from "./PlanPanel";
import { useOtherPlans } from "./useOtherPlans";
import { APPROVED_PAYMENTS, usePlanChange } from "./usePlanChange";

export type ChangeCardProps = { plan: PaidPlan; health: Health; onClose(): void };

/** Changes to another plan of the same seller: shows first what the change moves, then asks for one signature (without EIP-5792 for several). */
export function ChangeCard({ plan, health, onClose }: ChangeCardProps) {
  const { account } = health;
  const { run, progress, isBusy } = useWalletAction();
  const [join, setJoin] = useState<Hex | null>(null);
  const preview = usePlanChange({ account, leave: plan.id, join });
  const others = useOtherPlans(plan.id, health);
  const change = () => {
    if (join === null) return;
    void run({
      account,
      sign: (actions, callbacks) =>
        actions.changePlan({ leave: plan.id, join, approvalPeriods: APPROVED_PAYMENTS, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id: join, account }, options),
    });
  };
  return (
    <PlanPanel title="Change a plan" plan={plan} onClose={onClose}>
      {progress.step !== "done" && (
        <>
          <Answer query={others} label="the seller's other plans">
            {(plans) =>
              plans.length === 0 ? (
                <p>Its seller has no other plan that this account could change to.</p>
              ) : (
                <FormFields>
                  <FormField label="Change to" wide>
                    {(input) => (
                      <select
                        {...input}
                        value={join ?? ""}
                        disabled={isBusy}
                        onChange={({ target }) => setJoin(plans.find(({ id }) => id === target.value)?.id ?? null)}
                      >
                        <option value="">Choose a plan</option>
                        {plans.map(({ id, label }) => (
                          <option key={id} value={id}>
                            {label}
                          </option>
                        ))}
                      </select>
                    )}
                  </FormField>
                </FormFields>
              )
            }
          </Answer>
          {join !== null && <ChangeSummary plan={plan} account={account} query={preview} />}
          <PlanButtons
            account={account}
            isBusy={isBusy}
            disabled={preview.data?.ready !== true}
            onSign={change}
            onClose={onClose}
          >
            Change the plan
          </PlanButtons>
        </>
      )}
      <ActionStatus progress={progress} done="You have changed the plan." />
    </PlanPanel>
  );
}
