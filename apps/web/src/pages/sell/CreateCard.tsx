import { useApprovedTokens } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useConnection } from "wagmi";
import { LAST_DUE_DAY, nameDueDay } from "../../format/describeTerms";
import { formatAmount } from "../../format/formatAmount";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { cleanText } from "../../ui/UntrustedText";
import { ActionStatus } from "../../wallet/ActionStatus";
import { asHex } from "../../wallet/asHex";
import { faultOf } from "../../wallet/faultOf";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";

const FREQUENCIES = [
  [0, "weekly"],
  [1, "monthly"],
  [2, "quarterly"],
  [3, "yearly"],
] as const;

type Frequency = (typeof FREQUENCIES)[number][0];

const SYMBOL_CHARACTERS = 12;
const START = { token: "", amount: "", frequency: 1 as Frequency, dueDay: 1, description: "", url: "" };

/** The connected wallet creates a subscription. What the service refuses is shown at the field, in its words. */
export function CreateCard() {
  const tokens = useApprovedTokens();
  const { address } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const [terms, setTerms] = useState(START);
  const [created, setCreated] = useState<string | null>(null);
  const set = (change: Partial<typeof START>) => setTerms({ ...terms, ...change });

  return (
    <Card
      title="Create a subscription"
      note="The connected wallet becomes its provider. Its terms can't be changed afterwards."
    >
      <Answer query={tokens} label="the tokens">
        {(answer) => {
          const usable = answer.tokens.filter(({ approved, paused }) => approved && !paused);
          const token = usable.find((each) => each.address === terms.token) ?? usable[0];
          if (token === undefined)
            return (
              <Empty title="No token is approved for subscriptions">
                The administrator of the protocol approves tokens. Come back when one is listed.
              </Empty>
            );
          const symbol = cleanText(token.symbol).slice(0, SYMBOL_CHARACTERS);
          const submit = async (event: FormEvent) => {
            event.preventDefault();
            const { amount, frequency, dueDay, description, url } = terms;
            const details = { url, description };
            const result = await run({
              sign: (actions, callbacks) =>
                actions.createSubscription({
                  amount,
                  frequency,
                  dueDay,
                  details,
                  token: asHex(token.address),
                  ...callbacks,
                }),
              confirm: (dueday, options, { id }) => dueday.getEntitlement({ id, account: address ?? "" }, options),
            });
            setCreated(result?.id ?? null);
          };
          return (
            <form onSubmit={(event) => void submit(event)}>
              <Stack>
                <FormFields actions={<SignButton isBusy={isBusy}>Create the subscription</SignButton>}>
                  <FormField label="Token" fault={faultOf(progress, "token")}>
                    {(input) => (
                      <select {...input} value={token.address} onChange={({ target }) => set({ token: target.value })}>
                        {usable.map((each) => (
                          <option key={each.address} value={each.address}>
                            {cleanText(each.symbol).slice(0, SYMBOL_CHARACTERS) || each.address}
                          </option>
                        ))}
                      </select>
                    )}
                  </FormField>
                  <FormField
                    label="Amount of each payment"
                    hint={`At least ${formatAmount(token.minimum)} ${symbol}, with at most ${token.decimals} decimals.`}
                    fault={faultOf(progress, "amount")}
                  >
                    {(input) => (
                      <input
                        {...input}
                        required
                        inputMode="decimal"
                        autoComplete="off"
                        value={terms.amount}
                        onChange={({ target }) => set({ amount: target.value.trim() })}
                      />
                    )}
                  </FormField>
                  <FormField label="Paid" fault={faultOf(progress, "frequency")}>
                    {(input) => (
                      <select
                        {...input}
                        value={terms.frequency}
                        // The values are those of the options below.
                        onChange={({ target }) => set({ frequency: Number(target.value) as Frequency, dueDay: 1 })}
                      >
                        {FREQUENCIES.map(([value, name]) => (
                          <option key={value} value={value}>
                            {name}
                          </option>
                        ))}
                      </select>
                    )}
                  </FormField>
                  <FormField label="Due" fault={faultOf(progress, "dueDay")}>
                    {(input) => (
                      <select
                        {...input}
                        value={terms.dueDay}
                        onChange={({ target }) => set({ dueDay: Number(target.value) })}
                      >
                        {Array.from({ length: LAST_DUE_DAY[terms.frequency] }, (_, index) => index + 1).map((day) => (
                          <option key={day} value={day}>
                            {nameDueDay(terms.frequency, day)}
                          </option>
                        ))}
                      </select>
                    )}
                  </FormField>
                  <FormField
                    label="Description"
                    hint="What subscribers get. Public forever, at most 4,096 bytes."
                    fault={faultOf(progress, "details.description")}
                    wide
                  >
                    {(input) => (
                      <textarea
                        {...input}
                        value={terms.description}
                        onChange={({ target }) => set({ description: target.value })}
                      />
                    )}
                  </FormField>
                  <FormField
                    label="Link to a page about it"
                    hint="For example https://example.com/plan. Optional."
                    fault={faultOf(progress, "details.url")}
                    wide
                  >
                    {(input) => (
                      <input
                        {...input}
                        value={terms.url}
                        onChange={({ target }) => set({ url: target.value.trim() })}
                      />
                    )}
                  </FormField>
                </FormFields>
                <ActionStatus progress={progress} done="The subscription is created." />
                {created !== null && progress.step === "done" && (
                  <p>
                    <Link to="/subscriptions/$id" params={{ id: created }}>
                      Open and share the new subscription
                    </Link>
                  </p>
                )}
              </Stack>
            </form>
          );
        }}
      </Answer>
    </Card>
  );
}
