import { useAccountHealth, useDuedayQuery } from "@dueday/sdk/react";
import type { Address } from "viem";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { countOf } from "../../format/describeDays";
import { Notice } from "../../states/Notice";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { OfSubscription } from "./ofSubscription";

export type RevokeNoticeProps = OfSubscription & { account: Address };

/** From this number of units on, an allowance counts as unlimited: some tokens reduce an unlimited allowance with each transfer. */
const UNLIMITED = 2n ** 255n;

/** For a subscriber who has left: how much of the approval is left, and a button that revokes it where no other plan of the wallet needs it. */
export function RevokeNotice({ subscription, account }: RevokeNoticeProps) {
  const { id, token } = subscription;
  const { run, progress, isBusy } = useWalletAction();
  const { data: checkout } = useDuedayQuery("getCheckout", { id, account });
  const { data: paid } = useAccountHealth({ address: account });
  const payer = checkout?.payer;
  if (payer === undefined || payer === null || paid === undefined) return null;
  const { allowance, allowanceRaw } = payer;
  const revoke = () =>
    void run({
      sign: (actions, callbacks) => actions.revokeApproval({ token, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account }, options),
    });
  const { money, symbol } = moneyOf({ subscription });
  const others = paid.plans.filter((plan) => plan.id !== id && plan.token === token).length;
  if (allowanceRaw === "0" && progress.step === "idle") return null;
  return (
    <Stack>
      {progress.step !== "done" && (
        <Notice
          tone="neutral"
          title={`The contract may still take ${BigInt(allowanceRaw) >= UNLIMITED ? "any amount" : money(allowance)}`}
          {...(others === 0 && {
            action: (
              <SignButton isBusy={isBusy} onSign={revoke}>
                Revoke the approval
              </SignButton>
            ),
          })}
        >
          <p>
            {others === 0
              ? "No other plan of this wallet needs the approval."
              : `The approval serves ${countOf(others, "other plan")} that you pay in ${symbol}, so it stays.`}
          </p>
        </Notice>
      )}
      <ActionStatus progress={progress} done="The approval is revoked." />
    </Stack>
  );
}
