import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import { Answer } from "../../states/Answer";
import { Card } from "../../ui/Card";
import { Field } from "../../ui/Field";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { faultOf } from "../../wallet/faultOf";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { OfSubscription } from "./ofSubscription";

type DetailsTexts = { description: string; url: string };

/** The provider edits description and URL of its subscription. The form begins with the published texts, so that a change of one keeps the other. */
export function EditDetailsCard({ subscription: { id, provider } }: OfSubscription) {
  const query = useDuedayQuery("getSubscriptionDetails", { id });
  const { run, progress, isBusy } = useWalletAction();
  const [changes, setChanges] = useState<Partial<DetailsTexts>>({});
  const publish = (details: DetailsTexts) =>
    void run({
      sign: (actions, callbacks) => actions.editDetails({ id, details, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account: provider }, options),
    });
  return (
    <Card title="Edit the details" note="This replaces both texts. What you publish is public forever.">
      <Answer query={query} label="the details to edit">
        {({ details }) => {
          const description = changes.description ?? details?.description ?? "";
          const url = changes.url ?? details?.url ?? "";
          const submit = (event: FormEvent) => {
            event.preventDefault();
            publish({ url, description });
          };
          return (
            <form onSubmit={submit}>
              <Stack>
                <FormFields actions={<SignButton isBusy={isBusy}>Publish the details</SignButton>}>
                  <FormField
                    label="New description"
                    hint="Its first line is the name of the plan. At most 4,096 bytes."
                    fault={faultOf(progress, "details.description")}
                    wide
                  >
                    {(input) => (
                      <textarea
                        {...input}
                        value={description}
                        onChange={({ target }) => setChanges({ ...changes, description: target.value })}
                      />
                    )}
                  </FormField>
                  <Field
                    label="New link"
                    hint="For example https://example.com/plan. Optional."
                    fault={faultOf(progress, "details.url")}
                    wide
                    value={url}
                    onChange={({ target }) => setChanges({ ...changes, url: target.value })}
                  />
                </FormFields>
                <ActionStatus progress={progress} done="The details are published." />
              </Stack>
            </form>
          );
        }}
      </Answer>
    </Card>
  );
}
