import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import { periodOf } from "../../format/describeTerms";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { Amount } from "../../ui/Amount";
import { DefinitionList } from "../../ui/DefinitionList";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { cleanText } from "../../ui/UntrustedText";
import { SignButton } from "../../wallet/SignButton";
import type { OfSubscription } from "./ofSubscription";

export type SubscribeFormProps = OfSubscription & {
  account: string;
  isBusy: boolean;
  /** Called with the payments to approve besides the initial one, or null for an approval without limit. */
  onSubscribe(approvalPeriods: number | null): void;
};

/** How many payments an approval may cover. A year of monthly payments is the usual choice. */
const PERIODS = [1, 6, 12, 24, 60, 120] as const;
const USUAL = 12;
const UNLIMITED = "unlimited";
/** A warning about the approval that the form does not ask for. */
const ABOUT_ONE_PERIOD = "ONE_PERIOD_APPROVAL";

/** What subscribing costs now, what stands in its way, and for how many payments the contract is approved. */
export function SubscribeForm({ subscription, account, isBusy, onSubscribe }: SubscribeFormProps) {
  const { id, amount, tokenSymbol, frequency } = subscription;
  const [choice, setChoice] = useState(String(USUAL));
  const query = useDuedayQuery("checkSubscribeReadinessById", { from: account, id });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubscribe(choice === UNLIMITED ? null : Number(choice));
  };
  return (
    <Answer query={query} label="what subscribing costs">
      {({ initialCharge, balance, issues, warnings, includesApproval }) => {
        return (
          <form onSubmit={submit}>
            <Stack>
              <DefinitionList
                items={[
                  ["Charged now", <Amount key="now" amount={initialCharge.total} symbol={tokenSymbol} />],
                  [
                    "Of which for keepers",
                    <Amount key="fee" amount={initialCharge.toFeeBalance} symbol={tokenSymbol} />,
                  ],
                  [
                    "Then",
                    <span key="then">
                      <Amount amount={amount} symbol={tokenSymbol} /> each {periodOf(frequency)}
                    </span>,
                  ],
                  ["Your balance", <Amount key="balance" amount={balance} symbol={tokenSymbol} />],
                ]}
              />
              <FormFields
                actions={
                  <SignButton isBusy={isBusy} disabled={issues.length > 0}>
                    {includesApproval ? "Approve and subscribe" : "Subscribe"}
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
              <Reasons tone="bad" title="You can't subscribe now" reasons={issues} />
              <Reasons
                tone="warn"
                title="Before you subscribe"
                reasons={warnings.filter(({ code }) => code !== ABOUT_ONE_PERIOD)}
              />
            </Stack>
          </form>
        );
      }}
    </Answer>
  );
}

/** A message names a token by its symbol, which can be long. */
const MESSAGE_CHARACTERS = 400;

type ReasonsProps = { tone: "bad" | "warn"; title: string; reasons: readonly { code: string; message: string }[] };

function Reasons({ tone, title, reasons }: ReasonsProps) {
  if (reasons.length === 0) return null;
  return (
    <Notice tone={tone} title={title}>
      {reasons.map(({ code, message }) => (
        <p key={code}>{cleanText(message).slice(0, MESSAGE_CHARACTERS)}</p>
      ))}
    </Notice>
  );
}
