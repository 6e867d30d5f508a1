import { useApprovedTokens } from "@dueday/sdk/react";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useDraft } from "../../config/useDraft";
import { LAST_DUE_DAY, nameDueDay } from "../../format/describeTerms";
import { formatAmount } from "../../format/formatAmount";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { Field } from "../../ui/Field";
import { FormField, FormFields } from "../../ui/FormField";
import { Columns, Stack } from "../../ui/Stack";
import { cleanSymbol } from "../../ui/UntrustedText";
import { ActionStatus } from "../../wallet/ActionStatus";
import { faultOf } from "../../wallet/faultOf";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import { CheckoutPreview } from "./CheckoutPreview";
import { type PlanFaults, planFaults, priceFault } from "./planFaults";
import { chosenToken, descriptionOf, type Frequency, frequencies, type PlanTerms, type Token } from "./planTerms";

const START: PlanTerms = { name: "", price: "", token: "", frequency: 1, dueDay: 1, description: "", url: "" };

const symbolOf = ({ symbol, address }: Token) => cleanSymbol(symbol) || address;

/** The form of a plan, with its checkout beside it. */
export function PlanForm() {
  const tokens = useApprovedTokens();
  return (
    <Answer query={tokens} label="the tokens" lines={20}>
      {(answer) => <Form tokens={answer.tokens.filter(({ approved, paused }) => approved && !paused)} />}
    </Answer>
  );
}

function Form({ tokens }: { tokens: readonly Token[] }) {
  const { run, progress, isBusy } = useWalletAction();
  const navigate = useNavigate();
  const [terms, setTerms, forgetTerms] = useDraft("plan", START);
  const [faults, setFaults] = useState<PlanFaults>({});
  const token = chosenToken(tokens, terms.token);
  if (token === undefined) {
    return (
      <Empty title="No token is approved for subscriptions">
        The administrator of the protocol approves tokens. Come back when one is listed.
      </Empty>
    );
  }
  const pricedIn = { ...token, symbol: symbolOf(token) };
  const set = (change: Partial<PlanTerms>) => {
    const changed = { ...terms, ...change };
    setTerms(changed);
    // A field that was refused is checked again on each change. The other fields are checked on submit.
    const found = planFaults(changed, pricedIn);
    setFaults(Object.fromEntries(Object.entries(found).filter(([name]) => name in faults)));
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const found = planFaults(terms, pricedIn);
    setFaults(found);
    const [first] = Object.keys(found);
    if (first !== undefined) return form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    const { price: amount, frequency, dueDay, url } = terms;
    const details = { url, description: descriptionOf(terms) };
    const result = await run({
      sign: (actions, callbacks) =>
        actions.createSubscription({ amount, frequency, dueDay, details, token: token.address, ...callbacks }),
      confirm: (dueday, options, { id }) => dueday.getNames({ id: [id] }, options),
    });
    if (result === null) return;
    forgetTerms();
    await navigate({ to: "/subscriptions/$id", params: { id: result.id } });
  };
  return (
    <Columns>
      <Card
        title="Your plan"
        note="Everything here is public. Name, description and link can be changed later, the rest can't."
      >
        <form onSubmit={(event) => void submit(event)} noValidate>
          <Stack>
            <FormFields
              actions={
                <SignButton isBusy={isBusy} connects>
                  Create the plan
                </SignButton>
              }
            >
              <Field
                label="Name"
                hint="What payers see first, at most 60 characters."
                fault={faults.name}
                wide
                name="name"
                spellCheck
                value={terms.name}
                onChange={({ target }) => set({ name: target.value })}
              />
              <Field
                label="Price"
                hint={`At least ${formatAmount(token.minimum, token.decimals)} ${pricedIn.symbol}.`}
                fault={faults.price ?? faultOf(progress, "amount")}
                name="price"
                inputMode="decimal"
                value={terms.price}
                onChange={({ target }) => set({ price: target.value.trim() })}
              />
              <FormField label="Paid in" fault={faultOf(progress, "token")}>
                {(input) => (
                  <select {...input} value={token.address} onChange={({ target }) => set({ token: target.value })}>
                    {tokens.map((each) => (
                      <option key={each.address} value={each.address}>
                        {symbolOf(each)}
                      </option>
                    ))}
                  </select>
                )}
              </FormField>
              <FormField label="Period" fault={faultOf(progress, "frequency")}>
                {(input) => (
                  <select
                    {...input}
                    value={terms.frequency}
                    // The values are those of the options below.
                    onChange={({ target }) => set({ frequency: Number(target.value) as Frequency, dueDay: 1 })}
                  >
                    {frequencies.map(([value, name]) => (
                      <option key={value} value={value}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </FormField>
              <FormField label="Day" hint="Everybody pays on this day (UTC)." fault={faultOf(progress, "dueDay")}>
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
                hint="What subscribers get. Optional."
                fault={faults.description ?? faultOf(progress, "details.description")}
                wide
              >
                {(input) => (
                  <textarea
                    {...input}
                    name="description"
                    value={terms.description}
                    onChange={({ target }) => set({ description: target.value })}
                  />
                )}
              </FormField>
              <Field
                label="Link to a page about it"
                hint="For example https://example.com/plan. Optional."
                fault={faultOf(progress, "details.url")}
                wide
                value={terms.url}
                onChange={({ target }) => set({ url: target.value.trim() })}
              />
            </FormFields>
            <ActionStatus progress={progress} done="The plan is created." />
          </Stack>
        </form>
      </Card>
      <CheckoutPreview terms={terms} token={token} hasPrice={priceFault(terms.price, pricedIn) === undefined} />
    </Columns>
  );
}
