import type { Address } from "viem";
import { useConnection } from "wagmi";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { Health } from "./health";
import { OtherAccount } from "./OtherAccount";

export type RepairButtonProps = {
  account: Address;
  /** The number of days ahead that the approvals cover. */
  days: number;
  approve: Health["repair"]["approve"];
};

/** Sets all approvals that are missing: in one batch where the wallet can, else one after another. */
export function RepairButton({ account, days, approve }: RepairButtonProps) {
  const { address } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const approvals = approve.map(({ token, amountRaw }) => ({ token, units: BigInt(amountRaw) }));
  const repair = () =>
    void run({
      account,
      sign: (actions, callbacks) => actions.repairApprovals({ approvals, days, ...callbacks }),
      confirm: (dueday, options) => dueday.getAccountHealth({ address: account, days }, options),
    });
  const isOther = address !== undefined && address.toLowerCase() !== account.toLowerCase();
  return (
    <Stack>
      {approvals.length > 0 &&
        (isOther ? (
          <OtherAccount account={account} connected={address} />
        ) : (
          <p>
            <SignButton isBusy={isBusy} connects onSign={repair}>
              Repair all
            </SignButton>
          </p>
        ))}
      <ActionStatus progress={progress} done="The approvals are set." />
    </Stack>
  );
}
