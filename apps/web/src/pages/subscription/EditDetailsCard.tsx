import { type FormEvent, useState } from "react";
import { Card } from "../../ui/Card";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { asHex } from "../../wallet/asHex";
import { faultOf } from "../../wallet/faultOf";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { OfSubscription } from "./ofSubscription";

/** Its provider replaces description and address of a subscription. */
export function EditDetailsCard({ subscription: { id, provider } }: OfSubscription) {
  const { run, progress, isBusy } = useWalletAction();
  const [description, setDescription] = useState("");
  const [url, setUrl] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({
      sign: (actions, callbacks) => actions.editDetails({ id: asHex(id), details: { url, description }, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account: provider }, options),
    });
  };
  return (
    <Card title="Edit the details" note="Both texts are replaced, and are public forever.">
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
                <textarea {...input} value={description} onChange={({ target }) => setDescription(target.value)} />
              )}
            </FormField>
            <FormField
              label="New link"
              hint="For example https://example.com/plan. Optional."
              fault={faultOf(progress, "details.url")}
              wide
            >
              {(input) => <input {...input} value={url} onChange={({ target }) => setUrl(target.value)} />}
            </FormField>
          </FormFields>
          <ActionStatus progress={progress} done="The details are published." />
        </Stack>
      </form>
    </Card>
  );
}
