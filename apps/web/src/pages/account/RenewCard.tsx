import { useState } from "react";
import type { Address } from "viem";
import { useConnection } from "wagmi";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { Card } from "../../ui/Card";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { shorten } from "../../ui/shorten";
import { cleanText } from "../../ui/UntrustedText";
import { ActionStatus } from "../../wallet/ActionStatus";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { SubscribedRow } from "./subscribedRow";

export type RenewCardProps = {
  address: Address;
  /** The subscriptions that the account still pays for, the next payment first. */
  rows: readonly SubscribedRow[];
  /** Names of the plans by their ids; a plan without a known name is absent. */
  names: ReadonlyMap<string, { planName: string }>;
};

const PERIODS = [6, 12, 24, 60, 120] as const;
const USUAL = 12;

/** Renews the approval of one subscription's token, for a number of periods of that subscription, in one step. Shown only to the account itself. */
export function RenewCard({ address, rows, names }: RenewCardProps) {
  const { address: connected } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const [chosen, setChosen] = useState<string | null>(null);
  const [periods, setPeriods] = useState(USUAL);
  // The chosen subscription, else the first one that the allowance does not cover.
  const row =
    rows.find(({ subscription }) => subscription.id === chosen) ??
    rows.find(({ allowanceCovers }) => !allowanceCovers) ??
    rows[0];
  if (connected?.toLowerCase() !== address.toLowerCase() || row === undefined) return null;
  const { id } = row.subscription;
  const renew = () =>
    void run({
      sign: (actions, callbacks) => actions.approve({ id, periods, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account: address }, options),
    });
  return (
    <Card
      title="Renew an approval"
      note="One approval holds for all subscriptions in the same token; the new one replaces the old one."
    >
      <Stack>
        <FormFields
          actions={
            <SignButton isBusy={isBusy} onSign={renew}>
              Renew the approval
            </SignButton>
          }
        >
          <FormField label="Subscription">
            {(input) => (
              <select {...input} value={id} onChange={({ target }) => setChosen(target.value)}>
                {rows.map((each) => (
                  <option key={each.subscription.id} value={each.subscription.id}>
                    {nameOf(each, names.get(each.subscription.id)?.planName)}
                  </option>
                ))}
              </select>
            )}
          </FormField>
          <FormField label="Payments to approve">
            {(input) => (
              <select {...input} value={periods} onChange={({ target }) => setPeriods(Number(target.value))}>
                {PERIODS.map((count) => (
                  <option key={count} value={count}>
                    {count} payments
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </FormFields>
        <ActionStatus progress={progress} done="The approval is renewed." />
      </Stack>
    </Card>
  );
}

const NAME_CHARACTERS = 60;

function nameOf({ subscription, allowanceCovers }: SubscribedRow, name: string | undefined): string {
  const plan = name === undefined ? shorten(subscription.id) : cleanText(name, NAME_CHARACTERS);
  const price = moneyOf({ subscription }).money(subscription.amount);
  return `${plan}: ${price}${allowanceCovers ? "" : ", allowance too low"}`;
}
