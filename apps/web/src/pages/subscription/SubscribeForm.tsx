import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import type { Address } from "viem";
import { useConnectorClient } from "wagmi";
import { PayerState } from "../../checkout/payment/PayerState";
import { useNetworkFee } from "../../checkout/payment/useNetworkFee";
import { Charges } from "../../checkout/sale/Charges";
import { useInstallation } from "../../config/ChainContext";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { cleanText } from "../../ui/UntrustedText";
import { SignButton } from "../../wallet/SignButton";
import type { OfSubscription } from "./ofSubscription";

export type SubscribeFormProps = OfSubscription & {
  account: Address;
  isBusy: boolean;
  onSubscribe(choice: SubscribeChoice): void;
};

export type SubscribeChoice = {
  /** The payments to approve besides the initial one, or null for an approval without limit. */
  approvalPeriods: number | null;
  /** Pays the network's fee in place of the wallet, where both the seller and the wallet offer it. */
  paymasterUrl: string | null;
};

/** How many payments an approval may cover. A year of monthly payments is the usual choice. */
const PERIODS = [1, 6, 12, 24, 60, 120] as const;
const USUAL = 12;
const UNLIMITED = "unlimited";
/** This warning is not shown: the reader chooses the number of payments in this form. */
const ABOUT_ONE_PERIOD = "ONE_PERIOD_APPROVAL";

/** What subscribing costs now and later, what prevents it, and for how many payments the contract is approved. */
export function SubscribeForm({ subscription, account, isBusy, onSubscribe }: SubscribeFormProps) {
  const [choice, setChoice] = useState(String(USUAL));
  const { chain } = useInstallation();
  const isUnlimited = choice === UNLIMITED;
  // The service computes no figures for an approval without limit. Those of the longest approval are used instead.
  const approvalPeriods = isUnlimited ? Math.max(...PERIODS) : Number(choice);
  const query = useDuedayQuery("getCheckout", { id: subscription.id, account, approvalPeriods });
  const { data: client } = useConnectorClient({ chainId: chain.chainId });
  const fee = useNetworkFee(client ?? null, account, query.data);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubscribe({
      approvalPeriods: isUnlimited ? null : approvalPeriods,
      paymasterUrl: fee === "seller" ? (query.data?.paymasterUrl ?? null) : null,
    });
  };
  const payer = query.data?.payer ?? null;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Answer query={query} label="what subscribing costs">
          {(checkout) => <Charges checkout={checkout} isUnlimited={isUnlimited} />}
        </Answer>
        {/* Outside of the answer: the list keeps the focus while the figures of another choice are on their way. */}
        <FormFields
          actions={
            <SignButton isBusy={isBusy} disabled={payer?.ready !== true}>
              {query.data?.approval === null && !isUnlimited ? "Subscribe" : "Approve and subscribe"}
            </SignButton>
          }
        >
          <FormField
            label="Approve"
            hint="The contract can take no more than you approve. You can renew the approval at any time."
          >
            {(input) => (
              <select {...input} value={choice} onChange={({ target }) => setChoice(target.value)}>
                {PERIODS.map((count) => (
                  <option key={count} value={count}>
                    {count === 1 ? "1 payment" : `${count} payments`}
                  </option>
                ))}
                <option value={UNLIMITED}>without limit</option>
              </select>
            )}
          </FormField>
        </FormFields>
        {query.data !== undefined && payer !== null && (
          <>
            <PayerState
              checkout={query.data}
              payer={payer}
              chainName={chain.name}
              fee={fee}
              onCheck={() => void query.refetch()}
            />
            <Warnings warnings={payer.warnings.filter(({ code }) => code !== ABOUT_ONE_PERIOD)} />
          </>
        )}
      </Stack>
    </form>
  );
}

/** The most characters shown of a message: it contains the token's symbol, which can be long. */
const MESSAGE_CHARACTERS = 400;

function Warnings({ warnings }: { warnings: readonly { code: string; message: string }[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn" title="Before you subscribe">
      {warnings.map(({ code, message }) => (
        <p key={code}>{cleanText(message, MESSAGE_CHARACTERS)}</p>
      ))}
    </Notice>
  );
}
